#!/usr/bin/env python3
"""Runs a toy, a small version of a paper's recipe, from its file to its report.

usage: toys.py LVTEXT PLUGIN TOY [--long] [--update]

toys/TOY.yaml is run twice (the second run must not run any node), with two workers, and killed at
seeded times until it is finished; reports and scores must have the same bytes each time. For each
of toys/added/TOY/*.yaml, which extend the recipe, exactly the nodes listed in the .txt file of the
same name are unfinished. Each of mistakes/TOY/*.yaml is rejected with the message in the .txt file
of the same name. Made-up answers to the sheet of RATED give the table in toys/TOY.txt, which the report contains.
--long kills more often; --update writes these .txt files from the current output,
for review."""

import argparse
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parent
RATED = {  # sheet of a toy, and the answers to the items of each of its rows
    "toy-image": ("congruent", {"drawn[avg]": "cccnu", "drawn[most]": "cnnuu", "shapes.valid": "ccccc"}),
}

parser = argparse.ArgumentParser()
parser.add_argument("lvtext", type=pathlib.Path)
parser.add_argument("plugin", type=pathlib.Path)
parser.add_argument("toy")
parser.add_argument("--long", action="store_true")
parser.add_argument("--update", action="store_true")
arguments = parser.parse_args()

folder = pathlib.Path(tempfile.mkdtemp())
environment = dict(os.environ, OMP_NUM_THREADS="1", NO_COLOR="1", XDG_CACHE_HOME=str(folder / "cache"),
                   LVTEXT_DATA=str(folder / "data"))
for name in ("LVTEXT_OUT", "LVTEXT_DATA_MIRROR"):
    environment.pop(name, None)
shutil.copytree(SOURCE / "toys" / "data", folder / "data")  # manifests of the plug-in's data sets
failures = 0


def fail(message, *details):
    global failures
    failures += 1
    print(f"FAILED: {message}", *details, sep="\n", flush=True)


def command(recipe, out, *more, verb=("reproduce",)):
    return [arguments.lvtext.resolve(), *verb, recipe, "--plugin", arguments.plugin.resolve(),
            "--out", folder / out, *more]


def run(*given, **more):
    return subprocess.run(command(*given, **more), cwd=SOURCE, env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=600)


def reproduce(recipe, out, *more):
    """Runs the recipe completely and returns the output; the report goes to `{out}-report`."""
    shutil.rmtree(folder / f"{out}-report", ignore_errors=True)
    done = run(recipe, out, "--report", folder / f"{out}-report", *more)
    if done.returncode != 0:
        fail(f"{recipe} ended with {done.returncode}", done.stdout, done.stderr)
    return done


def plan(recipe, out):
    """Returns the nodes of a recipe by name."""
    done = run(recipe, out, "--dry-run", "--json")
    if done.returncode != 0:
        fail(f"{recipe} cannot be planned", done.stderr)
        return {}
    return {node["name"]: node for node in json.loads(done.stdout)["nodes"]}


def unfinished(nodes):
    return sorted(name for name, node in nodes.items() if node["state"] != "finished")


def left(out):
    """Returns the files of a finished run that must be reproducible: report, scores, choices."""
    files = {}
    for path in sorted((folder / f"{out}-report").rglob("*")):
        if path.is_file():
            files[f"report/{path.name}"] = path.read_bytes()
    for pattern in ("scores.jsonl", "choice.json"):
        for path in sorted((folder / out).rglob(pattern)):
            files[str(path.relative_to(folder / out))] = path.read_bytes()
    return files


def compare(what, wanted, found):
    if wanted.keys() != found.keys():
        fail(f"{what}: different files", *sorted(wanted.keys() ^ found.keys()))
    for name in sorted(wanted.keys() & found.keys()):
        if wanted[name] != found[name]:
            (folder / "wanted").write_bytes(wanted[name])
            (folder / "found").write_bytes(found[name])
            shown = subprocess.run(["diff", folder / "wanted", folder / "found"], capture_output=True,
                                   text=True, errors="replace").stdout
            fail(f"{what}: {name} differs", shown[:2000])


def kill(recipe, out, after, workers):
    """Kills a run and its processes after `after` seconds; returns False if it ended before."""
    report = folder / f"{out}-report"
    process = subprocess.Popen(command(recipe, out, "--report", report, "--workers", str(workers)),
                               cwd=SOURCE, env=environment, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               start_new_session=True)
    try:
        process.wait(after)
        return False
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        return True


def check_kills(recipe, wanted, seconds, count):
    """Kills and resumes runs until they are finished, each in a new folder.

    A run that ends before it is killed does not count: the next kills come earlier. Ten such runs
    in a row fail the test.
    """
    moments = random.Random(arguments.toy)
    killed = missed = tries = 0
    while killed < count and missed < 10:
        tries += 1
        out = f"killed-{tries}"
        while killed < count:
            if not kill(recipe, out, moments.uniform(0.3, 0.8) * seconds * 0.8 ** missed, 1 + killed % 2):
                missed += 1
                break
            killed += 1
            missed = 0
        reproduce(recipe, out, "--workers", "1")
        compare(f"after {killed} kills", wanted, left(out))
    if killed < count:
        fail(f"only {killed} of {count} kills came before the end of the run")


def check_text(file, found):
    """Compares a text with the .txt file of the same name, or updates that file."""
    expected = file.with_suffix(".txt")
    if arguments.update:
        expected.write_text(found)
    elif not expected.exists() or expected.read_text() != found:
        fail(f"{file.relative_to(SOURCE)}: output differs from {expected.name}", found)


def check_added(out):
    """Runs the extended recipes in the folder of the finished run."""
    for file in sorted((SOURCE / "toys" / "added" / arguments.toy).glob("*.yaml")):
        nodes = plan(file, out)
        check_text(file, "".join(f"{name}\n" for name in unfinished(nodes)))
        before = {path: path.stat().st_mtime_ns for path in (folder / out).glob("*/manifest.json")}
        reproduce(file, out, "--workers", "1")
        if unfinished(plan(file, out)):
            fail(f"{file.name}: unfinished nodes", *unfinished(plan(file, out)))
        finished = {node["identity"][:8] for node in nodes.values() if node["state"] == "finished"}
        for path, time_before in before.items():
            if path.parent.name[-8:] in finished and path.stat().st_mtime_ns != time_before:
                fail(f"{file.name}: {path.parent.name} was finished and ran again")


def check_mistakes():
    for file in sorted((SOURCE / "mistakes" / arguments.toy).glob("*.yaml")):
        done = run(file.relative_to(SOURCE), "mistakes", "--dry-run")
        if done.returncode != 78 or done.stdout:
            fail(f"{file.name}: exit code {done.returncode}, expected 78", done.stdout)
        check_text(file, done.stderr)
    if (folder / "mistakes").exists():
        fail("an invalid recipe left files")


def check_sheet(recipe, out):
    """Exports the toy's sheet, imports made-up answers of one rater and compares the table of the ratings."""
    if arguments.toy not in RATED:
        return
    sheet, answers = RATED[arguments.toy]
    report = folder / f"{out}-report"
    ratings, file = report / "ratings" / sheet, folder / "answers.csv"

    def lvtext(*verb, more=()):
        done = run(recipe, out, "--report", report, *more, verb=verb)
        if done.returncode != 0:
            fail(f"{' '.join(verb)} ended with {done.returncode}", done.stdout, done.stderr)
        return done.returncode == 0

    if not lvtext("rate", "export", sheet):
        return
    items = json.loads((ratings / "key.json").read_text())["items"]
    left_over = {row: list(letters) for row, letters in answers.items()}
    lines = ["item_id,rater_id,congruence,generated"]
    for name, item in items.items():
        row = item["sources"][0]["group"]
        lines.append(f"{name},ann,{left_over[row].pop(0)},{'no' if row == 'shapes.valid' else 'yes'}")
    if any(left_over.values()):
        fail(f"the sheet {sheet} has {len(items)} items", str(left_over))
    pictures = {path.name for path in (ratings / "sheets" / "images").iterdir()}
    if pictures != {item["texts"][-1] for item in items.values()}:
        fail(f"the sheet {sheet} has other pictures than items", *sorted(pictures))
    file.write_text("\n".join(lines) + "\n")
    if lvtext("rate", "import", sheet, more=("--answers", file)) and lvtext("report"):
        table = (ratings / "table.md").read_text()
        check_text(recipe, table)
        shown = (report / "table.md").read_text().splitlines()
        for line in table.splitlines():
            if line.startswith("| ") and line not in shown:
                fail("the report has other ratings", line)


def main():
    recipe = SOURCE / "toys" / f"{arguments.toy}.yaml"
    start = time.monotonic()
    first = reproduce(recipe, "whole", "--workers", "1")
    seconds = time.monotonic() - start
    if failures:
        return
    print(first.stdout, f"{seconds:.1f} s", sep="\n", flush=True)
    wanted = left("whole")
    if not any(name.endswith("scores.jsonl") for name in wanted):
        fail("there are no scores")
    again = reproduce(recipe, "whole", "--workers", "1")
    if "to run on" in again.stderr or unfinished(plan(recipe, "whole")):
        fail("a finished recipe runs again", again.stderr)
    compare("the second run", wanted, left("whole"))
    if again.stdout != first.stdout:
        fail("the second run prints another table")
    two = reproduce(recipe, "two", "--workers", "2")
    if two.stdout.replace("two-report", "whole-report") != first.stdout:
        fail("two workers print another table", two.stdout)
    compare("two workers", wanted, left("two"))
    check_kills(recipe, wanted, seconds, 20 if arguments.long else 2)
    check_sheet(recipe, "whole")
    check_added("whole")
    check_mistakes()


try:
    main()
finally:
    shutil.rmtree(folder)
print(f"{arguments.toy}: {failures} failures")
sys.exit(1 if failures else 0)
