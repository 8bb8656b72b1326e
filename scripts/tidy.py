#!/usr/bin/env python3
"""Runs clang-tidy on sources in parallel and skips unchanged sources without findings.

usage: tidy.py CLANG_TIDY BUILD JOBS PATH...

A PATH is a source or a folder. A source is checked again after a change of the source, of a project
header that it includes, of its compile command, of .clang-tidy or of the clang-tidy version.
BUILD/tidy contains an empty file for each state without findings, and compile_commands.json without
the options that this version of clang cannot use. The list of headers is from the
last build; a source that was not built yet has no list and is always checked.
"""
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
# Options left out: those of the precompiled header, without which sources compile as well (the stage
# `headers` of the long tests), and OpenMP, because clang-tidy comes without omp.h.
LEFT_OUT = re.compile(r"-Winvalid-pch|-Xclang -fno-pch-timestamp|-Xclang -include(-pch)? -Xclang \S+"
                      r"|-fopenmp=libomp")


def commands_of(build):
    """Returns the compile commands by source; for a source in several programs, the first."""
    commands = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        entry["command"] = LEFT_OUT.sub("", entry["command"])
        words = shlex.split(entry["command"])
        entry["output"] = words[words.index("-o") + 1]
        commands.setdefault(pathlib.Path(entry["file"]).resolve(), entry)
    return commands


def headers_by_object(build):
    """Returns the project files that each object depends on, from `ninja -t deps`."""
    listing = subprocess.run(["ninja", "-C", str(build), "-t", "deps"], capture_output=True, text=True,
                             check=True).stdout
    ours = (str(ROOT) + os.sep, str(build) + os.sep)
    found = {}
    resolved = {}
    current = None
    for line in listing.splitlines():
        if line and not line.startswith(" "):
            name, _, state = line.partition(": #deps")
            current = found.setdefault(name, set()) if state.endswith("(VALID)") else None
        elif line and current is not None:
            path = line.strip()
            if not path.startswith(ours) or "/.lvtext-env/" in path or "cmake_pch" in path:
                continue
            # The include path of a part contains links: build/release/sees/PART/framework/...
            if path not in resolved:
                resolved[path] = os.path.realpath(path)
            current.add(resolved[path])
    return found


class Hashes:
    """SHA-256 hashes of files, cached."""

    def __init__(self):
        self.known = {}

    def of(self, path):
        if path not in self.known:
            file = pathlib.Path(path)
            content = file.read_bytes() if file.exists() else b""
            self.known[path] = hashlib.sha256(content).hexdigest()
        return self.known[path]


def key_of(entry, headers, hashes, tool):
    """Returns a hash of everything that the findings of a source depend on."""
    parts = [tool, entry["command"], hashes.of(entry["file"])]
    parts += [f"{path} {hashes.of(path)}" for path in sorted(headers)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def selected(commands, paths):
    """Returns the sources of the build that are one of the paths or below one."""
    places = [(ROOT / path).resolve() for path in paths]
    return sorted(source for source in commands
                  if any(source == place or place in source.parents for place in places))


def main():
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    tidy, jobs, paths = sys.argv[1], int(sys.argv[3]), sys.argv[4:]
    build = pathlib.Path(sys.argv[2]).resolve()
    commands = commands_of(build)
    objects = headers_by_object(build)
    hashes = Hashes()
    version = subprocess.run([tidy, "--version"], capture_output=True, text=True, check=True).stdout
    tool = version + hashes.of(str(ROOT / ".clang-tidy"))
    stamps = build / "tidy"
    stamps.mkdir(exist_ok=True)
    (stamps / "compile_commands.json").write_text(json.dumps(list(commands.values())))

    sources = selected(commands, paths)
    if not sources:
        sys.exit(f"tidy.py: no source of {build} is in: {' '.join(paths)}")
    waiting = []
    for source in sources:
        entry = commands[source]
        headers = objects.get(entry["output"])
        stamp = stamps / key_of(entry, headers, hashes, tool) if headers is not None else None
        if stamp is None or not stamp.exists():
            waiting.append((source, stamp))
    print(f"{len(sources) - len(waiting)} of {len(sources)} sources are unchanged", flush=True)

    def read(job):
        source, stamp = job
        begin = time.monotonic()
        result = subprocess.run([tidy, "-p", str(stamps), "--quiet", str(source)], capture_output=True,
                                text=True)
        if result.returncode == 0 and stamp is not None:
            stamp.touch()
        return source, result, time.monotonic() - begin

    failures = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for source, result, seconds in pool.map(read, waiting):
            failed = result.returncode != 0
            failures += failed
            print(f"{'FAILED' if failed else 'ok'} {source.relative_to(ROOT)} ({seconds:.0f} s)",
                  flush=True)
            if failed:
                print(result.stdout + result.stderr, flush=True)
    print(f"{failures} sources with findings")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
