#!/usr/bin/env python3
"""Benchmark of METEOR against METEOR 1.5, the program of its authors, alternating in one run.

    tests/benchmarks/meteor.py --out docs/results/benchmarks --mirror FOLDER [--build FOLDER]

Requires Java (Debian: apt-get install default-jre-headless). On the first run, downloads METEOR's
program (build/meteor-env) and builds the executable lvtext_metric_benchmarks. README.md in this
folder describes the measurements.
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import time
import zipfile
from pathlib import Path

from run import ROOT, build, machine, make_environment, say, summary

# The package contains METEOR 1.5; the libraries that its Python code imports are not used.
PACKAGES = ["pycocoevalcap==1.2", "--no-deps"]
SYSTEMS = ["CrossAligned", "TemplateBased"]
MODULES = ["exact", "exact stem", "exact stem synonym"]
TOLERANCE = 1e-6
ROWS = [  # key, title, times that the pairs are repeated, modules
    ("small", "2,000 pairs", 1, "exact stem synonym"),
    ("large", "100,000 pairs", 50, "exact stem synonym"),
    ("large_stem", "100,000 pairs, without synonyms", 50, "exact stem"),
]


def find_jar(python):
    folder = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"],
        check=True, capture_output=True, text=True).stdout.strip()
    return Path(folder) / "pycocoevalcap" / "meteor" / "meteor-1.5.jar"


def prepare(jar, mirror, data):
    """Writes the pairs of each system, all pairs together and repeated, and METEOR's synonyms."""
    if not (mirror / "yelp" / "outputs").is_dir():
        sys.exit(f"meteor.py: '{mirror}' has no yelp/outputs: set --mirror")
    data.mkdir(parents=True, exist_ok=True)
    together = []
    for system in SYSTEMS:
        pairs = []
        for style in (0, 1):
            text = (mirror / "yelp" / "outputs" / f"{system}.{style}.tsv").read_text()
            pairs += [line.split("\t")[:2] for line in text.splitlines()]
        together += pairs
        write_pairs(data / system, pairs)
    for key, _, times, _ in ROWS:
        write_pairs(data / key, together * times)
    with zipfile.ZipFile(jar) as archive:
        for name in ("english.synsets", "english.exceptions"):
            (data / name).write_bytes(archive.read(f"synonym/{name}"))


def write_pairs(prefix, pairs):
    for index, name in enumerate(("sources", "outputs")):
        text = "".join(pair[index] + "\n" for pair in pairs)
        Path(f"{prefix}.{name}").write_text(text)


def timed(command):
    """Runs a command; returns its output, wall time and CPU time."""
    wall, before = time.monotonic(), os.times()
    done = subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True)
    after = os.times()
    cpu = (after.children_user + after.children_system
           - before.children_user - before.children_system)
    return done.stdout, time.monotonic() - wall, cpu


class Sides:
    def __init__(self, executable, jar, data):
        self.executable, self.jar, self.data = executable, jar, data

    def ours(self, key, modules):
        text, wall, cpu = timed([self.executable, "meteor", self.data / f"{key}.outputs",
                                 self.data / f"{key}.sources", self.data, modules])
        answer = json.loads(text)
        return answer["scores"], answer["aggregate"], wall, cpu

    def peer(self, key, modules):
        text, wall, cpu = timed(["java", "-Xmx1G", "-jar", self.jar, self.data / f"{key}.outputs",
                                 self.data / f"{key}.sources", "-l", "en", "-m", modules])
        scores = [float(score) for score in re.findall(r"^Segment \d+ score:\t(\S+)", text, re.M)]
        return scores, float(re.search(r"^Final score:\s+(\S+)", text, re.M)[1]), wall, cpu

    def compare(self, system, modules):
        ours, our_aggregate, *_ = self.ours(system, modules)
        peer, aggregate, *_ = self.peer(system, modules)
        apart = max(abs(a - b) for a, b in zip([*ours, our_aggregate], [*peer, aggregate], strict=True))
        if apart > TOLERANCE:
            sys.exit(f"meteor.py: {system} with {modules} differs by {apart}")
        return {"system": system, "modules": modules, "mean": statistics.mean(peer),
                "aggregate": aggregate, "largest_difference": apart}

    def measure(self, key, modules, blocks):
        rates = {"wall": ([], []), "cpu": ([], [])}
        for _ in range(blocks):
            for side, run in enumerate((self.ours, self.peer)):
                scores, _, wall, cpu = run(key, modules)
                rates["wall"][side].append(len(scores) / wall)
                rates["cpu"][side].append(len(scores) / cpu)
        return summary(rates, "pairs/s") | {"pairs": len(scores)}


def markdown(results):
    here = results["machine"]
    lines = [
        "# METEOR compared with METEOR 1.5", "",
        f"{here['cpu']}, {here['cpus']} CPUs, load {here['load']:.1f} at the start; {results['date']}; "
        f"{results['java']}. Outputs of {' and '.join(SYSTEMS)} against their sources, 1,000 reviews "
        "each; both sides use METEOR's synonyms and no paraphrase table.", "",
        "## Scores", "",
        "| system | modules | mean of sentences | aggregate | apart, at most |", "|---|---|---|---|---|"]
    for row in results["scores"]:
        lines.append(f"| {row['system']} | {row['modules']} | {row['mean']:.6f} | "
                     f"{row['aggregate']:.6f} | {row['largest_difference']:.1e} |")
    lines += [
        "", "## Time", "",
        "From the start of the process to the scores, files and synonyms included; the sentences of a "
        "larger set are those of the smaller one, repeated. Ratios above 1 mean that lvtext is faster: "
        f"ratio of medians of {results['blocks']} alternating runs, with the lowest and highest pair. "
        "On a machine with other load, only the ratio of CPU time is meaningful.", "",
        "| what | ours | METEOR 1.5 | unit | ratio (wall) | pairs | ratio (CPU time) |",
        "|---|---|---|---|---|---|---|"]
    for key, title, _, _ in ROWS:
        row = results[key]
        wall, cpu = row["wall"], row["cpu"]
        lines.append(f"| {title} | {wall['ours']:.4g} | {wall['peer']:.4g} | {row['unit']} | "
                     f"**{wall['ratio']:.1f}** | {wall['lowest']:.1f}-{wall['highest']:.1f} | "
                     f"{cpu['ratio']:.1f} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="folder of results")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release")
    parser.add_argument("--mirror", type=Path, default=os.environ.get("LVTEXT_DATA_MIRROR", ""),
                        help="data folder with yelp/outputs")
    parser.add_argument("--blocks", type=int, default=5)
    arguments = parser.parse_args()
    if not shutil.which("java"):
        sys.exit("meteor.py: Java is not installed (Debian: apt-get install default-jre-headless)")

    jar = find_jar(make_environment(ROOT / "build" / "meteor-env", PACKAGES, "120 MB on disk"))
    executable = build(arguments.build.resolve(), "lvtext_metric_benchmarks")
    data = ROOT / "build" / "meteor-data"
    prepare(jar, arguments.mirror, data)
    java = subprocess.run(["java", "-version"], capture_output=True, text=True).stderr
    results = {"schema": "lvtext.meteor-benchmarks.1", "date": time.strftime("%Y-%m-%d"),
               "machine": machine(), "java": java.splitlines()[0].replace('"', ""),
               "peer": PACKAGES[:1], "blocks": arguments.blocks}
    sides = Sides(executable, jar, data)
    results["scores"] = []
    for system in SYSTEMS:
        for modules in MODULES:
            say(f"{system}, {modules}")
            results["scores"].append(sides.compare(system, modules))
    for key, _, _, modules in ROWS:
        say(key)
        results[key] = sides.measure(key, modules, arguments.blocks)
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "meteor.json").write_text(json.dumps(results, indent=1) + "\n")
    text = markdown(results)
    (arguments.out / "meteor.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
