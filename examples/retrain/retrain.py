"""Trains a model on census, lets fairgate find people whom it decides differently by sex, trains it again with them,
and prints the rates before and after. Takes the command that runs fairgate; by default `fairgate`."""

import json
import pathlib
import subprocess
import sys
import warnings

import pandas as pd
from skl2onnx import to_onnx
from sklearn.compose import make_column_transformer
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

HERE = pathlib.Path(__file__).resolve().parent
WORK = HERE / "work"
FAIRGATE = sys.argv[1:] or ["fairgate"]
LABEL = "income"

# Twelve rounds over the data are enough to show the effect.
warnings.simplefilter("ignore", ConvergenceWarning)


def train(people, labels):
    """The pipeline that a team might have: words one-hot, numbers scaled, a small network."""
    words = list(people.select_dtypes(exclude="number").columns)
    numbers = list(people.select_dtypes(include="number").columns)
    columns = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), words), (StandardScaler(), numbers)
    )
    network = MLPClassifier((30, 15), max_iter=12, batch_size=256, random_state=0)
    return make_pipeline(columns, network).fit(people, labels)


def save(pipeline, people, name):
    onnx = to_onnx(pipeline, people[:1], options={"zipmap": False})
    (WORK / f"{name}.onnx").write_bytes(onnx.SerializeToString())


def fairgate(*arguments):
    """fairgate's standard output. A gate that fails (1) is an answer, all else is an error."""
    command = [*FAIRGATE, *arguments, "--spec", str(HERE / "fairness.toml")]
    ran = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if ran.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)} ended with exit code {ran.returncode}")
    return ran.stdout


def check(name):
    return json.loads(fairgate("check", "--exact", name, "--format", "json"))


def found_people(inputs):
    """The found people and their counterparts, each pair with one label: that of its mean score."""
    file = WORK / "found.csv"
    fairgate("export", "before", "--output", str(file))
    found = pd.read_csv(file)
    mean = found.groupby("fairgate_number")["fairgate_score"].transform("mean")
    labels = mean.ge(0.5).map({False: "<=50K", True: ">50K"})
    return found[inputs], labels


def main():
    WORK.mkdir(exist_ok=True)
    people = pd.read_csv(HERE / "../../fixtures/census.csv").astype({"education-num": "int64"})
    inputs = [column for column in people.columns if column != LABEL]
    train_x, test_x, train_y, test_y = train_test_split(
        people[inputs], people[LABEL], test_size=0.25, random_state=0
    )

    before = train(train_x, train_y)
    save(before, train_x, "before")
    rates = {"before": check("before")}

    found_x, found_y = found_people(inputs)
    after = train(pd.concat([train_x, found_x]), pd.concat([train_y, found_y]))
    save(after, train_x, "after")
    rates["after"] = check("after")

    accuracy = {"before": before.score(test_x, test_y), "after": after.score(test_x, test_y)}
    print(f"{len(train_x)} people of the census, and {len(found_x)} that fairgate found with their counterparts\n")
    print("        accuracy  dataset rate  domain rate (95 % confidence)")
    for name, line in rates.items():
        dataset, domain = line["rates"]["dataset"], line["rates"]["domain"]
        print(
            f"{name:6}  {accuracy[name]:8.1%}  {dataset['value']:12.2%}  "
            f"{domain['value']:.2%} ({domain['lower']:.2%} to {domain['upper']:.2%})"
        )


main()
