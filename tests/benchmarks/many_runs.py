#!/usr/bin/env python3
"""Times commands with thousands of finished runs in the output folder.

usage: many_runs.py LVTEXT [FOLDERS]

Runs the smoke profile of the quick start once, copies its run folders under other hashes until there
are FOLDERS (default: 5000), and times, five times each after one run that is not counted:
`--dry-run` of a recipe of about 1,000 nodes (Table 1 with four seeds), `runs ls`, and `--version`,
the start of a command. Prints median, lowest and highest wall time; the first time is printed apart.
"""
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

LVTEXT = pathlib.Path(sys.argv[1]).resolve()
FOLDERS = int(sys.argv[2]) if len(sys.argv) > 2 else 5000
ROOT = pathlib.Path(__file__).resolve().parents[2]


def timed(folder, arguments):
    begin = time.monotonic()
    done = subprocess.run([LVTEXT, *arguments], cwd=folder, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{arguments}: exit code {done.returncode}\n{done.stderr}")
    return time.monotonic() - begin, done.stdout


def main():
    folder = pathlib.Path(tempfile.mkdtemp())
    recipes = ROOT / "recipes"
    timed(folder, ["reproduce", recipes / "quickstart/quickstart.yaml", "--profile", "smoke"])
    originals = sorted(p for p in (folder / "runs").iterdir() if p.is_dir())
    for i in range(FOLDERS - len(originals)):
        original = originals[i % len(originals)]
        name = original.name[:-8] + f"{i:08x}"
        shutil.copytree(original, folder / "runs" / name)
    commands = {
        "--dry-run, 1,000 nodes": ["reproduce", recipes / "eval-all/table1.yaml", "--profile",
                                   "smoke", "--seeds", "4", "--dry-run"],
        "runs ls": ["runs", "ls"],
        "--version": ["--version"],
    }
    print(f"{FOLDERS} run folders")
    for name, arguments in commands.items():
        first, output = timed(folder, arguments)
        seconds = sorted(timed(folder, arguments)[0] for _ in range(5))
        print(f"{name:25} median {statistics.median(seconds):.3f} s "
              f"({seconds[0]:.3f} to {seconds[-1]:.3f}), first {first:.3f} s, "
              f"{len(output.splitlines())} lines", flush=True)
    shutil.rmtree(folder)


main()
