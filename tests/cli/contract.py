"""Checks the command line against contract.txt. usage: contract.py LVTEXT, in the source tree."""

import json
import os
import pathlib
import re
import shlex
import string
import subprocess
import sys
import tempfile

lvtext = sys.argv[1]
here = pathlib.Path(__file__).parent
failures = 0


def run(arguments):
    return subprocess.run(
        [lvtext, *arguments], capture_output=True, text=True, input="a small dog\n", env=env
    )


def fail(line, why, answer):
    global failures
    failures += 1
    print(f"FAILED {line}\n  {why} (exit {answer.returncode})")
    print("".join(f"  | {each}\n" for each in (answer.stdout + answer.stderr).splitlines()[:12]))


def names_schema(text):
    """Whether a JSON document, or the first of JSON lines, names its schema (or recipe version)."""
    for part in (text, text.partition("\n")[0]):
        try:
            document = json.loads(part)
        except ValueError:
            continue
        return "schema" in document or "lvtext" in document
    return False


with tempfile.TemporaryDirectory() as folder:
    scratch = pathlib.Path(folder)
    env = {k: v for k, v in os.environ.items() if not k.startswith("LVTEXT_")}
    env |= {"LVTEXT_DATA": f"{scratch}/data", "XDG_CACHE_HOME": f"{scratch}/cache", "NO_COLOR": "1"}
    env["LVTEXT_OUT"] = f"{scratch}/default"  # commands without --out leave nothing in ./runs
    places = {
        "scratch": scratch,
        "recipe": here / "reports.yaml",
        "runs": scratch / "runs",
        "report": scratch / "report",
        "text": here / "own.txt",
        "pairs": here / "pairs.txt",
        "answers": scratch / "answers.csv",
    }
    made = run(["reproduce", str(places["recipe"]), "--out", str(places["runs"]),
                "--report", str(places["report"])])  # fmt: skip
    if made.returncode != 0:
        sys.exit(made.stderr)
    places["run"] = next(places["runs"].glob("tests.ae.*"))
    places["node"] = next(places["runs"].glob("tests.ae-nll-score.*"))
    walked = 0
    helped = set()
    for line in (here / "contract.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        when, _, text = line.partition(" ")
        arguments = [string.Template(each).substitute(places) for each in shlex.split(text)]
        if text.startswith("rate import") and not places["answers"].exists():
            items = re.findall(r"^i[0-9a-f]{12}", (places["report"] / "ratings/reconstruction/sheets/sheet.csv")
                               .read_text(), re.M)  # fmt: skip
            places["answers"].write_text(
                "item_id,rater_id,fluency,relevance\n" + "".join(f"{i},a,3,2\n" for i in items)
            )
        answer = run(arguments)
        walked += 1
        if when == "now":
            if answer.returncode != 0:
                fail(line, "failed", answer)
            elif "--json" in arguments:
                if not names_schema(answer.stdout):
                    fail(line, "prints no JSON that names its schema", answer)
            command = [each for each in arguments[:2] if re.fullmatch("[a-z]+", each)]
            words = " ".join(command[:2] if command[0] in ("runs", "data", "checkpoint", "rate", "sweep") else command[:1]) if command else ""  # fmt: skip
            if words and words not in helped and words != "runs":
                helped.add(words)
                shown = run([*words.split(), "--help"])
                if shown.returncode != 0 or "--plugin" not in shown.stdout:
                    fail(f"{words} --help", "names no --plugin", shown)
        elif answer.returncode != 64 or not re.search(
            "unknown|there is no|cannot|no run|must|not expected", answer.stderr
        ):
            fail(line, "no error that it is not available", answer)

print(f"{walked} lines of the contract, {failures} failures")
sys.exit(1 if failures or walked < 100 else 0)
