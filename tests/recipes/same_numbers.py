#!/usr/bin/env python3
"""Compares the numbers of this tree with those of an earlier commit, which must be identical.

usage: same_numbers.py LVTEXT [OVERRIDE...]

Builds the commit `base` of same_numbers.json (once, in build/numbers-base) and runs the jobs of
that file with both programs on this machine, each with its own recipes. Then compares the outputs
of every node (weights, logs, texts, records and scores) and the CSV files of the reports.

A change that renames something states it in same_numbers.json: `base` and `head` of a job are its
overrides in the spelling of one side; `renamed` maps names of the base to those of this tree, by
regular expressions, for nodes, files, and keys of log, tensors, scores, lines and cells. A change
that is meant to alter numbers moves `base` to itself, after a run in which nothing else differed.

A recipe that the base lacks is not compared.

Overrides on the command line apply to this tree only, so a job whose result they change must fail.

Exit code: 0 without differences, 1 with differences or a failed job, 77 if the commit is missing.
"""
import csv
import hashlib
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SETTINGS = json.loads((ROOT / "tests/recipes/same_numbers.json").read_text())
SHOWN = 40  # differences


def build_base():
    """Returns the program of the base commit and its recipes."""
    folder = ROOT / "build/numbers-base" / SETTINGS["base"][:12]
    program = folder / "build/release/lvtext"
    if not program.exists():
        known = subprocess.run(["git", "-C", ROOT, "cat-file", "-e", SETTINGS["base"]],
                               stderr=subprocess.DEVNULL)
        if known.returncode != 0:
            print(f"skipped: no commit {SETTINGS['base']} in this repository")
            sys.exit(77)
        folder.mkdir(parents=True, exist_ok=True)
        archive = subprocess.run(["git", "-C", ROOT, "archive", SETTINGS["base"]], check=True,
                                 capture_output=True).stdout
        subprocess.run(["tar", "-x", "-C", folder], input=archive, check=True)
        environment = ROOT / ".lvtext-env"
        if environment.exists() and not (folder / ".lvtext-env").exists():
            (folder / ".lvtext-env").symlink_to(environment)
        subprocess.run([folder / "scripts/build.sh", "unity", "lvtext_main"], check=True,
                       stdin=subprocess.DEVNULL)
    return program, folder / "recipes"


def run_job(program, recipes, job, side, folder, more):
    """Runs one job in a new folder; returns an error message or None."""
    folder.mkdir(parents=True)
    arguments = [program, "reproduce", str(recipes / job["recipe"]), "--profile", job["profile"],
                 "--workers", "2", *job.get("arguments", []), *job.get(side, []), *more]
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith("LVTEXT_")}
    environment["XDG_CACHE_HOME"] = str(folder / "cache")
    environment["OMP_NUM_THREADS"] = "1"
    done = subprocess.run(arguments, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True)
    if done.returncode != 0:
        return f"{side}: exit code {done.returncode}\n{done.stderr[-2000:]}"
    return None


def tensors_of(path):
    """Returns name -> (type, shape, SHA-256 of the bytes) for a safetensors file."""
    content = path.read_bytes()
    (size,) = struct.unpack("<Q", content[:8])
    header = json.loads(content[8:8 + size])
    found = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        digest = hashlib.sha256(content[8 + size + begin:8 + size + end]).hexdigest()
        found[name] = (entry["dtype"], tuple(entry["shape"]), digest)
    return found


def flat(value, path=""):
    """Returns path -> value for all leaves of a JSON value."""
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = ((str(i), item) for i, item in enumerate(value))
    else:
        return {path: value}
    leaves = {}
    for key, item in items:
        leaves.update(flat(item, f"{path}.{key}" if path else key))
    return leaves


def rows_of(path):
    """Returns line.key -> value for a file of JSON lines: a log of training or records."""
    leaves = {}
    for i, line in enumerate(path.read_text().splitlines()):
        leaves.update(flat(json.loads(line), str(i)))
    return {key: value for key, value in leaves.items() if key != "0.schema"}


def scores_of(path):
    """Returns all numbers of all scores, including the statistics of sentences."""
    leaves = {}
    for line in path.read_text().splitlines():
        score = json.loads(line)
        for key in ("value", "lo", "hi", "n", "rows"):
            if key in score:
                leaves.update(flat(score[key], f"{score['id']}.{key}"))
    return leaves


def node_numbers(folder):
    """Returns the outputs of a finished node: file or part -> name -> value."""
    parts = {}
    for path in sorted(folder.rglob("*")):
        place = str(path.relative_to(folder))
        if not path.is_file() or place.startswith("checkpoints/"):
            continue
        if path.suffix == ".safetensors":
            parts[place] = tensors_of(path)
        elif path.name == "scores.jsonl":
            parts[place] = scores_of(path)
        elif path.suffix == ".jsonl" and path.name != "timing.jsonl":
            parts[place] = rows_of(path)
        elif path.suffix in (".txt", ".tsv"):
            # Texts of byte-level tokenizers need not be UTF-8.
            lines = path.read_text(errors="surrogateescape").split("\n")[:-1]
            parts[place] = {str(i): line for i, line in enumerate(lines)}
    return parts


def all_numbers(folder):
    """Returns node -> numbers, and report file -> cells."""
    found = {}
    for manifest in sorted(folder.glob("runs/*/manifest.json")):
        name = json.loads(manifest.read_text())["name"]
        if name in found:
            raise SystemExit(f"{folder}: two nodes are named {name}")
        found[name] = node_numbers(manifest.parent)
    for path in sorted(folder.glob("reports/**/*.csv")):
        cells = {}
        with path.open(newline="", errors="surrogateescape") as file:
            for i, row in enumerate(csv.DictReader(file)):
                cells.update({f"{row.get('row', '')}.{i}.{key}": value for key, value in row.items()
                              if key not in ("reason", "label")})
        found[f"report {path.name}"] = {"cells": cells}
    return found


def renamed(name, kind):
    for pattern, replacement in SETTINGS.get("renamed", {}).get(kind, []):
        name = re.sub(pattern, replacement, name)
    return name


def kind_of(part):
    if part.endswith(".safetensors"):
        return "tensors"
    if part.endswith("log.jsonl"):
        return "log"
    if part.endswith("scores.jsonl"):
        return "scores"
    return "cells" if part == "cells" else "lines"


def differences(base, head):
    """Returns one line for each value that differs or is missing."""
    lines = []
    mapped = {renamed(name, "nodes"): parts for name, parts in base.items()}
    for name in sorted(set(mapped) | set(head)):
        if name not in mapped or name not in head:
            lines.append(f"{name}: only in the {'base' if name in mapped else 'new tree'}")
            continue
        old = {renamed(part, "files"): (kind_of(part), values)
               for part, values in mapped[name].items()}
        new = head[name]
        for part in sorted(set(old) | set(new)):
            if part not in old or part not in new:
                lines.append(f"{name}/{part}: only in the {'base' if part in old else 'new tree'}")
                continue
            kind, values = old[part]
            values = {renamed(key, kind): value for key, value in values.items()}
            for key in sorted(set(values) | set(new[part])):
                before, after = values.get(key), new[part].get(key)
                if before != after:
                    lines.append(f"{name}/{part}: {key}: {before} -> {after}")
    return lines


def main():
    program, more = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    base, base_recipes = build_base()
    scratch = pathlib.Path(tempfile.mkdtemp())
    failed = 0
    for job in SETTINGS["jobs"]:
        name = f"{job['recipe']} {job['profile']}"
        if not (base_recipes / job["recipe"]).exists():
            print(f"{name}: the base lacks this recipe", flush=True)
            continue
        sides = {"base": (base, base_recipes, []), "head": (program, ROOT / "recipes", more)}
        errors = []
        for side, (binary, recipes, overrides) in sides.items():
            error = run_job(binary, recipes, job, side, scratch / side, overrides)
            if error:
                errors.append(error)
        if not errors:
            old, new = all_numbers(scratch / "base"), all_numbers(scratch / "head")
            values = sum(len(values) for parts in new.values() for values in parts.values())
            errors = differences(old, new)
            print(f"{name}: {len(new)} nodes and reports, {values} values, "
                  f"{len(errors)} differences", flush=True)
        else:
            print(f"{name}: failed", flush=True)
        for line in errors[:SHOWN]:
            print(f"  {line}")
        failed += bool(errors)
        for side in sides:
            shutil.rmtree(scratch / side)
    shutil.rmtree(scratch)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
