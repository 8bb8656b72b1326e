#!/usr/bin/env python3
"""Checks that the sources that turn a recipe into a graph do not include headers of LibTorch.

usage: no_libtorch.py COMPILE_COMMANDS

Preprocesses each source with its compile command, without the precompiled header, and reports each
that includes a header of LibTorch, with the chain of includes.
"""
import json
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
SOURCES = ["framework/pipeline/recipe/*.cpp", "framework/pipeline/check/checked_*.cpp",
           "framework/pipeline/check/usual_inputs.cpp",
           "framework/pipeline/check/entry_components.cpp",
           "framework/pipeline/check/table_names.cpp", "framework/pipeline/plan/resolver*.cpp",
           "framework/pipeline/plan/*_resolver.cpp", "framework/pipeline/slurm/*.cpp"]
TORCH = ("/torch/", "/ATen/", "/c10/")


def preprocessed(command):
    """Returns a command that lists the included files instead of compiling."""
    words = shlex.split(command)
    kept = []
    at = 0
    while at < len(words):
        if words[at] == "-Xclang" and words[at + 1] in ("-include-pch", "-include"):
            at += 4
        elif words[at] in ("-include", "-o"):
            at += 2
        else:
            kept.append(words[at])
            at += 1
    kept[kept.index("-c")] = "-E"
    return [word for word in kept if word != "-Winvalid-pch"] + ["-H", "-o", "/dev/null"]


def commands_of(entries):
    """Returns the compile commands by source; those of a unit of sources hold for each of them."""
    commands = {}
    for entry in entries:
        commands[entry["file"]] = entry
        if pathlib.Path(entry["file"]).parent.name != "Unity":
            continue
        for line in pathlib.Path(entry["file"]).read_text().splitlines():
            if line.startswith('#include "'):
                source = line.split('"')[1]
                command = entry["command"].replace(entry["file"], source)
                commands[source] = {**entry, "command": command}
    return commands


def path_to_torch(listing):
    """Returns the chain of includes to the first header of LibTorch; empty if there is none."""
    path = []
    for line in listing.splitlines():
        dots, _, name = line.partition(" ")
        if not dots or set(dots) != {"."}:
            continue
        path = path[:len(dots) - 1] + [name]
        if any(folder in name for folder in TORCH):
            return path
    return []


def main():
    commands = commands_of(json.loads(pathlib.Path(sys.argv[1]).read_text()))
    found = {pattern: sorted(ROOT.glob(pattern)) for pattern in SOURCES}
    failures = 0
    for pattern, files in found.items():
        if not files:
            failures += 1
            print(f"FAILED: {pattern} has no file")
    files = [file for files in found.values() for file in files]
    for file in files:
        entry = commands[str(file)]
        done = subprocess.run(preprocessed(entry["command"]), cwd=entry["directory"],
                              capture_output=True, text=True)
        path = path_to_torch(done.stderr)
        if done.returncode != 0 or path:
            failures += 1
            print(f"FAILED: {file.relative_to(ROOT)}", *(path or [done.stderr]), sep="\n  ")
    print(f"{len(files)} sources, {failures} with LibTorch")
    sys.exit(1 if failures else 0)


main()
