"""Fill in the tables and figures of STUDY.md from the folders of studies.

usage: python examples/study/fill.py NAME=FOLDER [NAME=FOLDER ...]

FOLDER is what `fairgate study --output FOLDER` wrote. In STUDY.md each part between `<!-- NAME: PART: begin -->` and
`<!-- NAME: PART: end -->` is replaced by the part of that name in FOLDER/report.md. Figures that are shown are copied
to examples/study/figures/. Only the standard library is needed.
"""
import re
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
PART = r"<!-- {}: (\S+): begin -->\n(.*?)<!-- {}: \1: end -->"


def fill(text, name, folder):
    report = (folder / "report.md").read_text()
    parts = dict(re.findall(PART.format("study", "study"), report, re.DOTALL))

    def part(match):
        if match[1] not in parts:
            sys.exit(f"{folder}/report.md has no part {match[1]}")
        return f"<!-- {name}: {match[1]}: begin -->\n{figures(parts[match[1]], name, folder)}<!-- {name}: {match[1]}: end -->"

    return re.sub(PART.format(name, name), part, text, flags=re.DOTALL)


def figures(part, name, folder):
    """Copies the figures of a part, and points to the copies."""
    def figure(match):
        copy = HERE / "figures" / f"{name}-{match[1]}"
        copy.parent.mkdir(exist_ok=True)
        shutil.copyfile(folder / "figures" / match[1], copy)
        return f"({copy.relative_to(ROOT).as_posix()})"

    return re.sub(r"\(figures/([^)]+)\)", figure, part)


def main():
    if len(sys.argv) < 2 or not all("=" in argument for argument in sys.argv[1:]):
        sys.exit(__doc__)
    path = ROOT / "STUDY.md"
    text = path.read_text()
    for argument in sys.argv[1:]:
        name, folder = argument.split("=", 1)
        text = fill(text, name, Path(folder))
    path.write_text(text)


if __name__ == "__main__":
    main()
