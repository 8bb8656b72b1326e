#!/usr/bin/env python3
"""A toy, a small relative of a paper's recipe, from its file to its report.

usage: toys.py LVTEXT PLUGIN TOY [--long] [--update]

toys/TOY.yaml is run twice (equal bytes, nothing left to do), by two workers, and killed at seeded
moments until it is finished, each time to the same bytes of reports and scores. What toys/added/TOY/*.yaml
add to it later makes those nodes unfinished that the .txt beside them lists, and no others. Each of
mistakes/TOY/*.yaml is refused with the message in the .txt beside it. --long kills more often; --update
writes these .txt files as lvtext has them now, for a person to read."""

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
shutil.copytree(SOURCE / "toys" / "data", folder / "data")  # manifests of the sets that the plug-in draws
failures = 0


def fail(message, *details):
    global failures
    failures += 1
    print(f"FAILED: {message}", *details, sep="\n", flush=True)


def command(recipe, out, *more):
    return [arguments.lvtext.resolve(), "reproduce", recipe, "--plugin", arguments.plugin.resolve(),
            "--out", folder / out, *more]


def run(*given):
    return subprocess.run(command(*given), cwd=SOURCE, env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=600)


def reproduce(recipe, out, *more):
    """What a whole run prints; its report lies in the folder's namesake."""
    shutil.rmtree(folder / f"{out}-report", ignore_errors=True)
    done = run(recipe, out, "--report", folder / f"{out}-report", *more)
    if done.returncode != 0:
        fail(f"{recipe} ended with {done.returncode}", done.stdout, done.stderr)
    return done


def plan(recipe, out):
    """The nodes of a recipe by their names."""
    done = run(recipe, out, "--dry-run", "--json")
    if done.returncode != 0:
        fail(f"{recipe} cannot be planned", done.stderr)
        return {}
    return {node["name"]: node for node in json.loads(done.stdout)["nodes"]}


def unfinished(nodes):
    return sorted(name for name, node in nodes.items() if node["state"] != "finished")


def left(out):
    """The bytes of a finished run that must be the same each time: report, scores, choices."""
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
        fail(f"{what}: other files", *sorted(wanted.keys() ^ found.keys()))
    for name in sorted(wanted.keys() & found.keys()):
        if wanted[name] != found[name]:
            (folder / "wanted").write_bytes(wanted[name])
            (folder / "found").write_bytes(found[name])
            shown = subprocess.run(["diff", folder / "wanted", folder / "found"], capture_output=True,
                                   text=True, errors="replace").stdout
            fail(f"{what}: {name} differs", shown[:2000])


def kill(recipe, out, after, workers):
    """Kills a run with all of its processes after so many seconds; false: it had ended before."""
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
    """Runs that are killed until they are finished, in a new folder each time one is.

    A run that ends before its moment is no kill: the next moments come earlier. Ten runs in a row
    that end before it fail the test.
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
        fail(f"only {killed} of {count} kills came before the end")


def check_text(file, found):
    """The text beside a file, or what it becomes."""
    expected = file.with_suffix(".txt")
    if arguments.update:
        expected.write_text(found)
    elif not expected.exists() or expected.read_text() != found:
        fail(f"{file.relative_to(SOURCE)} gives other than {expected.name}", found)


def check_added(out):
    """What is added later, in the folder of the finished run."""
    for file in sorted((SOURCE / "toys" / "added" / arguments.toy).glob("*.yaml")):
        nodes = plan(file, out)
        check_text(file, "".join(f"{name}\n" for name in unfinished(nodes)))
        before = {path: path.stat().st_mtime_ns for path in (folder / out).glob("*/manifest.json")}
        reproduce(file, out, "--workers", "1")
        if unfinished(plan(file, out)):
            fail(f"{file.name}: nodes are left", *unfinished(plan(file, out)))
        finished = {node["identity"][:8] for node in nodes.values() if node["state"] == "finished"}
        for path, time_before in before.items():
            if path.parent.name[-8:] in finished and path.stat().st_mtime_ns != time_before:
                fail(f"{file.name}: {path.parent.name} was finished and ran again")


def check_mistakes():
    for file in sorted((SOURCE / "mistakes" / arguments.toy).glob("*.yaml")):
        done = run(file.relative_to(SOURCE), "mistakes", "--dry-run")
        if done.returncode != 78 or done.stdout:
            fail(f"{file.name}: ended with {done.returncode} in place of 78", done.stdout)
        check_text(file, done.stderr)
    if (folder / "mistakes").exists():
        fail("a recipe with a mistake left files")


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
    compare("the second time", wanted, left("whole"))
    if again.stdout != first.stdout:
        fail("the second time prints another table")
    reproduce(recipe, "two", "--workers", "2")
    compare("two workers", wanted, left("two"))
    check_kills(recipe, wanted, seconds, 20 if arguments.long else 2)
    check_added("whole")
    check_mistakes()


try:
    main()
finally:
    shutil.rmtree(folder)
print(f"{arguments.toy}: {failures} failures")
sys.exit(1 if failures else 0)
