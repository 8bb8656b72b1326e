#!/usr/bin/env python3
"""Runs clang-tidy on sources in parallel and skips unchanged sources without findings.

usage: tidy.py CLANG_TIDY BUILD JOBS PATH...

A PATH is a source or a folder. A source is checked again after a change of the source, of a project
header that it includes, of its compile command, of .clang-tidy or of the clang-tidy version.
BUILD, a folder configured without precompiled headers, need not be built; BUILD/tidy contains its
compile_commands.json without the options that this version of clang cannot use. Sources without
findings are listed in docs/results/long/tidy.txt with a hash of their state, which does not depend on
the folder of the clone.
"""
import concurrent.futures
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
CLEAN = ROOT / "docs/results/long/tidy.txt"
# Options left out: OpenMP, because clang-tidy comes without omp.h, and what ccache adds.
LEFT_OUT = re.compile(r"-fopenmp=libomp|-Xclang -fno-pch-timestamp")
INCLUDE = re.compile(rb'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def commands_of(build):
    """Returns the compile commands by source; for a source in several programs, the first."""
    commands = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        entry["command"] = LEFT_OUT.sub("", entry["command"])
        commands.setdefault(pathlib.Path(entry["file"]).resolve(), entry)
    return commands


class Headers:
    """The project headers that a file includes, directly or through others."""

    def __init__(self):
        self.direct = {}

    def included_by(self, path):
        """Returns the files that `path` includes, in its folder, the root or tests/plugin."""
        if path not in self.direct:
            names = [name.decode() for name in INCLUDE.findall(path.read_bytes())]
            folders = (path.parent, ROOT, ROOT / "tests/plugin")
            found = {next((each / name for each in folders if (each / name).is_file()), None)
                     for name in names}
            self.direct[path] = {each.resolve() for each in found - {None}}
        return self.direct[path]

    def of(self, path):
        all_headers, waiting = set(), [path]
        while waiting:
            new = self.included_by(waiting.pop()) - all_headers
            all_headers |= new
            waiting += new
        return all_headers


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
    parts = [tool, entry["command"].replace(str(ROOT), "."), hashes.of(entry["file"])]
    parts += [f"{path.relative_to(ROOT)} {hashes.of(path)}" for path in sorted(headers)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def read_clean():
    """Returns the hashes of the sources that had no findings, by their path."""
    lines = CLEAN.read_text().splitlines() if CLEAN.exists() else []
    return dict(words for words in (line.split(" ") for line in lines) if len(words) == 2)


def write_clean(clean):
    CLEAN.parent.mkdir(parents=True, exist_ok=True)
    scratch = CLEAN.with_suffix(".tmp")
    scratch.write_text("".join(f"{path} {key}\n" for path, key in sorted(clean.items())))
    scratch.replace(CLEAN)


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
    headers = Headers()
    hashes = Hashes()
    version = subprocess.run([tidy, "--version"], capture_output=True, text=True, check=True).stdout
    # common.sh has the version of LibTorch.
    tool = version + hashes.of(ROOT / ".clang-tidy") + hashes.of(ROOT / "scripts/common.sh")
    folder = build / "tidy"
    folder.mkdir(exist_ok=True)
    (folder / "compile_commands.json").write_text(json.dumps(list(commands.values())))
    names = {source: str(source.relative_to(ROOT)) for source in commands if ROOT in source.parents}
    clean = {name: key for name, key in read_clean().items() if name in names.values()}

    sources = selected(commands, paths)
    if not sources:
        sys.exit(f"tidy.py: no source of {build} is in: {' '.join(paths)}")
    waiting = []
    for source in sources:
        key = key_of(commands[source], headers.of(source), hashes, tool)
        if clean.get(names[source]) != key:
            waiting.append((source, key))
    print(f"{len(sources) - len(waiting)} of {len(sources)} sources are unchanged", flush=True)

    def read(job):
        source, key = job
        begin = time.monotonic()
        result = subprocess.run([tidy, "-p", str(folder), "--quiet", str(source)], capture_output=True,
                                text=True)
        return names[source], key, result, time.monotonic() - begin

    failures = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for name, key, result, seconds in pool.map(read, waiting):
            failed = result.returncode != 0
            failures += failed
            print(f"{'FAILED' if failed else 'ok'} {name} ({seconds:.0f} s)", flush=True)
            if failed:
                clean.pop(name, None)
                print(result.stdout + result.stderr, flush=True)
            elif key == key_of(commands[ROOT / name], Headers().of(ROOT / name), Hashes(), tool):
                clean[name] = key  # not edited meanwhile
            write_clean(clean)
    print(f"{failures} sources with findings")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
