#!/usr/bin/env python3
"""Flips bits in files of a finished folder of runs, or truncates them.

usage: damage.py LVTEXT RECIPES FLIPS TRUNCATIONS

Each trial damages one file (a third of the flips keep the file's times) and runs `report`,
`reproduce` and `eval`. A command must either write the same bytes as for the undamaged tree, or
name the damaged run and exit with 1 or 65; a table that it writes must then contain the undamaged
numbers or empty cells. Other trials damage inputs of unfinished nodes and run `reproduce`, which
must not compute from them.
"""
import hashlib
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

LVTEXT, RECIPES = (pathlib.Path(each).resolve() for each in sys.argv[1:3])
FLIPS, TRUNCATIONS = int(sys.argv[3]), int(sys.argv[4])
RECIPE = RECIPES / "quickstart" / "quickstart.yaml"
# Large enough that the cache of verified files is used.
OVERRIDES = ["data.train_at_most=20000", "train.stop=8u"]
ROWS = "lm,vae"


def run(folder, *arguments):
    """Returns exit code, standard output and standard error of a command in `folder`."""
    done = subprocess.run([LVTEXT, *arguments], cwd=folder, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=600)
    return done.returncode, done.stdout, done.stderr.decode(errors="replace")


def reproduce(folder, command="reproduce"):
    shutil.rmtree(folder / "reports", ignore_errors=True)
    workers = ["--workers", "1"] if command == "reproduce" else []
    return run(folder, command, str(RECIPE), "--profile", "smoke", "--rows", ROWS, *workers,
               *OVERRIDES)


def evaluate(folder, training):
    return run(folder, "eval", f"runs/{training}", "--evaluators", "reconstruction,diversity",
               "--samples", "20")


def files_below(folder):
    return sorted(p for p in folder.rglob("*") if p.is_file() and p.stat().st_size > 0)


def bytes_below(folder):
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            digest.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def cells(folder):
    """Returns the numbers of the report's table by row and column, in full precision."""
    found = {}
    for path in folder.glob("reports/**/table.json"):
        for row in json.loads(path.read_text())["rows"]:
            for column, cell in row["cells"].items():
                if cell["value"] is not None:
                    found[row["row"], column] = cell["value"]
    return found


class Damage:
    """A change of a file, undone at the end of the `with` block."""

    def __init__(self, path, generator, kind):
        self.path, self.whole, self.stat = path, path.read_bytes(), path.stat()
        self.run = path.parts[path.parts.index("runs") + 1]
        position = generator.randrange(len(self.whole))
        self.what = f"{kind} of {path} at {position}"
        if kind == "truncation":
            changed = self.whole[:position]
        else:
            changed = bytearray(self.whole)
            changed[position] ^= 1 << generator.randrange(8)
        self.write(bytes(changed), keep_times=kind == "flip, times kept")

    def write(self, content, keep_times):
        with self.path.open("r+b") as file:
            file.write(content)
            file.truncate()
        if keep_times:
            os.utime(self.path, ns=(self.stat.st_atime_ns, self.stat.st_mtime_ns))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.write(self.whole, keep_times=False)


class Campaign:
    def __init__(self):
        self.root = pathlib.Path(tempfile.mkdtemp())
        self.problems = []
        self.outcomes = {}
        self.generator = random.Random(22)

    def prepare(self):
        code, _, error = reproduce(self.root)
        assert code == 0, error
        self.runs = self.root / "runs"
        self.training = next(p.name for p in self.runs.iterdir() if ".vae.smoke." in p.name)
        time.sleep(1.2)  # until the files count as settled
        self.evaluation = evaluate(self.root, self.training)
        assert self.evaluation[0] == 0, self.evaluation[2]
        assert any(self.runs.glob("*/verified.json"))
        self.finished = reproduce(self.root)
        self.report = bytes_below(self.root / "reports")
        self.cells = cells(self.root)
        assert self.cells

    def judge(self, damage, name, outcome, same):
        code, _, error = outcome
        verdict = "same bytes" if same and code == 0 else f"exit {code}"
        key = f"{name}: {verdict}"
        self.outcomes[key] = self.outcomes.get(key, 0) + 1
        if verdict == "same bytes":
            return
        if code not in (1, 65):
            self.problems.append(f"{damage.what}: {name}: exit code {code}: {error[-400:]}")
        elif damage.run not in error:
            self.problems.append(f"{damage.what}: {name} does not name the run: {error[-400:]}")

    def trial(self, kind):
        """Damages a file of the finished tree."""
        files = files_below(self.runs)
        with Damage(self.generator.choice(files), self.generator, kind) as damage:
            for command in ("report", "reproduce"):
                outcome = reproduce(self.root, command)
                same = (outcome[1] == self.finished[1] and
                        bytes_below(self.root / "reports") == self.report)
                self.judge(damage, command, outcome, same)
                for cell, value in cells(self.root).items():
                    if value != self.cells.get(cell):
                        self.problems.append(f"{damage.what}: {command} shows {value} in {cell}")
            outcome = evaluate(self.root, self.training)
            self.judge(damage, "eval", outcome, outcome[1] == self.evaluation[1])

    def trial_of_inputs(self, kind):
        """Damages an input of unfinished nodes: a copy lacks the vae's training and later nodes."""
        part = self.root / "part"
        shutil.copytree(self.runs, part / "runs", ignore=shutil.ignore_patterns("*.vae*"))
        files = [p for folder in (part / "runs").glob("quickstart.data-*.smoke.*")
                 for p in files_below(folder)]
        with Damage(self.generator.choice(files), self.generator, kind) as damage:
            outcome = reproduce(part)
            same = bytes_below(part / "reports") == self.report
            self.judge(damage, "reproduce of the rest", outcome, same)
        shutil.rmtree(part)

    def run(self):
        self.prepare()
        kinds = (["flip, times kept"] * (FLIPS // 3) + ["flip"] * (FLIPS - FLIPS // 3) +
                 ["truncation"] * TRUNCATIONS)
        for i, kind in enumerate(kinds):
            self.trial_of_inputs(kind) if i % 10 == 9 else self.trial(kind)
        outcome = reproduce(self.root)
        if outcome[:2] != self.finished[:2] or bytes_below(self.root / "reports") != self.report:
            self.problems.append("the restored tree has a different report")
        for key in sorted(self.outcomes):
            print(f"{self.outcomes[key]:5} {key}")
        for problem in self.problems:
            print("FAILED:", problem)
        shutil.rmtree(self.root)
        return 1 if self.problems else 0


sys.exit(Campaign().run())
