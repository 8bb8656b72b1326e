#!/usr/bin/env python3
"""Runs clang-tidy on sources in parallel and skips unchanged sources without findings.

usage: tidy.py CLANG_TIDY BUILD JOBS PATH...

A PATH is a source or a folder. A source is checked again after a change of the source, of a project
header that it includes, of its compile command, of .clang-tidy or tests/.clang-tidy, of
scripts/common.sh (the version of LibTorch) or of the clang-tidy version. Sources of which only headers
have changed are read in units of several, which parse their headers once: a few checks (unused using
declarations, deprecated headers) see only the text of the file that is read. A missing include, which a
unit can hide, is left to the build. BUILD, a folder configured without precompiled headers, need not be
built; a folder in it contains its compile_commands.json without the options that this version of clang
cannot use. Sources without findings are listed in docs/results/long/tidy.txt with a hash of their
state, which does not depend on the folder of the clone, and a hash of the same without headers.
"""
import concurrent.futures
import hashlib
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
CLEAN = ROOT / "docs/results/long/tidy.txt"
# Options left out: OpenMP, because clang-tidy comes without omp.h, and what ccache adds.
LEFT_OUT = re.compile(r"-fopenmp=libomp|-Xclang -fno-pch-timestamp")
UNIT = 8  # sources
# A unit is a source that includes others, in which findings count like those in headers.
UNIT_OPTIONS = ["--checks=-bugprone-suspicious-include",
                "--header-filter=/(framework|models|losses|trainers|evaluators|tests)/"]
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
    """Returns the hashes, with headers and without, of the sources that had no findings, by their path."""
    lines = CLEAN.read_text().splitlines() if CLEAN.exists() else []
    return {words[0]: tuple(words[1:]) for words in (line.split(" ") for line in lines) if len(words) == 3}


def write_clean(clean):
    CLEAN.parent.mkdir(parents=True, exist_ok=True)
    scratch = CLEAN.with_suffix(".tmp")
    scratch.write_text("".join(f"{path} {' '.join(both)}\n" for path, both in sorted(clean.items())))
    scratch.replace(CLEAN)


def selected(commands, paths):
    """Returns the sources of the build that are one of the paths or below one."""
    places = [(ROOT / path).resolve() for path in paths]
    return sorted(source for source in commands
                  if any(source == place or place in source.parents for place in places))


def settings_of(source):
    """Returns the .clang-tidy that applies to a source."""
    return next(folder / ".clang-tidy" for folder in source.parents if (folder / ".clang-tidy").exists())


def units_of(sources, commands):
    """Returns the sources in lists of up to UNIT that have the same compile command and settings."""
    groups = {}
    for source in sources:
        command = re.sub(r" -o \S+", "", commands[source]["command"].replace(str(source), ""))
        groups.setdefault((command, settings_of(source)), []).append(source)
    return [group[i:i + UNIT] for group in groups.values() for i in range(0, len(group), UNIT)]


def write_unit(sources, commands, path):
    """Writes a source that includes the others, and returns its compile command."""
    path.write_text("".join(f'#include "{source}"\n' for source in sources))
    first = commands[sources[0]]
    return {"directory": first["directory"], "file": str(path),
            "command": first["command"].replace(str(sources[0]), str(path))}


class Reader:
    """Reads sources with clang-tidy, some of them in units, whose files are in `folder`."""

    def __init__(self, tidy, folder, commands, in_units):
        self.tidy, self.folder = tidy, folder
        self.units = {folder / f"unit_{i}.cpp": unit for i, unit in enumerate(units_of(in_units, commands))}
        entries = [write_unit(unit, commands, path) for path, unit in self.units.items()]
        (folder / "compile_commands.json").write_text(json.dumps([*commands.values(), *entries]))

    def run(self, path, options):
        begin = time.monotonic()
        result = subprocess.run([self.tidy, "-p", str(self.folder), "--quiet", *options, str(path)],
                                capture_output=True, text=True)
        return result, time.monotonic() - begin

    def results_of(self, job):
        """Returns the results of a unit's sources: the unit's, or, if it has findings, those of each source."""
        path, unit = job
        if path in self.units:
            result, seconds = self.run(path, [*UNIT_OPTIONS, f"--config-file={settings_of(unit[0])}"])
            if result.returncode == 0:
                return [(source, result, seconds / len(unit)) for source in unit]
        return [(source, *self.run(source, [])) for source in unit]

    def read(self, alone, jobs):
        """Yields lists of (source, result, seconds): for each source of `alone`, then for each unit."""
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            yield from pool.map(self.results_of, [*((source, [source]) for source in alone), *self.units.items()])


class States:
    """What the findings of sources depend on: commands, texts, headers, and the versions and settings in `tool`.

    Answers about a file are kept, so that all states agree about it.
    """

    def __init__(self, commands, tool):
        self.commands, self.tool = commands, tool
        self.headers, self.hashes = Headers(), Hashes()

    def of(self, source):
        """Returns a hash of a source's state, and one of the same without headers."""
        return tuple(key_of(self.commands[source], included, self.hashes, self.tool)
                     for included in (self.headers.of(source), []))


def version_of(tidy):
    """Returns a text that changes with what all findings depend on: versions and settings."""
    version = subprocess.run([tidy, "--version"], capture_output=True, text=True, check=True).stdout
    # common.sh has the version of LibTorch.
    return version + "".join(map(Hashes().of, (ROOT / ".clang-tidy", ROOT / "tests/.clang-tidy",
                                               ROOT / "scripts/common.sh")))


def main():
    if len(sys.argv) < 5:
        sys.exit(__doc__)
    tidy, jobs, paths = sys.argv[1], int(sys.argv[3]), sys.argv[4:]
    build = pathlib.Path(sys.argv[2]).resolve()
    commands = commands_of(build)
    tool = version_of(tidy)
    names = {source: str(source.relative_to(ROOT)) for source in commands if ROOT in source.parents}
    clean = {name: both for name, both in read_clean().items() if name in names.values()}

    sources = selected(commands, paths)
    if not sources:
        sys.exit(f"tidy.py: no source of {build} is in: {' '.join(paths)}")
    before = States(commands, tool)
    states = {source: before.of(source) for source in sources}
    waiting = [source for source in sources if clean.get(names[source]) != states[source]]
    alone = [source for source in waiting if clean.get(names[source], ("", ""))[1] != states[source][1]]
    in_units = [source for source in waiting if source not in alone]
    print(f"{len(sources) - len(waiting)} of {len(sources)} sources are unchanged, "
          f"{len(in_units)} but for their headers", flush=True)

    failures = 0
    with tempfile.TemporaryDirectory(prefix="tidy-", dir=build) as folder:
        for results in Reader(tidy, pathlib.Path(folder), commands, in_units).read(alone, jobs):
            after = States(commands, tool)
            for source, result, seconds in results:
                name, failed = names[source], result.returncode != 0
                failures += failed
                print(f"{'FAILED' if failed else 'ok'} {name} ({seconds:.0f} s)", flush=True)
                if failed:
                    clean.pop(name, None)
                    print(result.stdout + result.stderr, flush=True)
                elif states[source] == after.of(source):
                    clean[name] = states[source]  # not edited meanwhile
            write_clean(clean)
    print(f"{failures} sources with findings")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
