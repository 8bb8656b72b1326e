#!/usr/bin/env python3
"""Benchmark of skip-gram against gensim on the same text, in one run.

    tests/benchmarks/skip_gram.py --out docs/results/benchmarks --mirror /path/of/data-mirror [--build FOLDER]

README.md in this folder describes the comparison. Uses the executable of run.py and an environment of its own.
"""

import argparse
import gzip
import itertools
import json
import os
import re
import statistics
import sys
import time
from pathlib import Path

from run import HERE, ROOT, Worker, build, machine, make_environment, say

PACKAGES = ["gensim==4.4.0", "torch==2.11.0", "numpy", "safetensors"]
WIDTH, EPOCHS, SEEDS, MIN_COUNT = 300, 5, (1, 2, 3), 5


def prepare(mirror, file):
    """Lower-case words of two splits of WikiText-2, those that occur five times, a paragraph per line."""
    sources = [gzip.open(mirror / f"wikitext-2/wiki.{part}.tokens.gz", "rt", encoding="utf-8") for part in ("valid", "test")]
    lines = [re.findall(r"[a-z]+", line.lower()) for source in sources for line in source]
    counts = {}
    for word in itertools.chain.from_iterable(lines):
        counts[word] = counts.get(word, 0) + 1
    lines = [[word for word in line if counts[word] >= MIN_COUNT] for line in lines]
    file.write_text("".join(" ".join(line) + "\n" for line in lines if line))


def markdown(results):
    here = results["machine"]
    lines = [
        "# Skip-gram compared with gensim", "",
        f"{here['cpu']}, {here['cpus']} CPUs, load {here['load']:.1f} at the start; {results['date']}; {results['versions']}. "
        f"Words of WikiText-2's validation and test text ({results['words']:,}, {results['vocabulary']:,} different ones), {EPOCHS} passes, vectors of {WIDTH} numbers, "
        "window 5, 5 noise words, subsampling at 1e-3. Medians of three seeds, alternating.", "",
        "| threads | ours, words per s | gensim | ratio (wall) | pairs | ratio (CPU time) |", "|---|---|---|---|---|---|"]
    for threads, row in results["speed"].items():
        pairs = sorted(row["ratios_wall"])
        lines.append(f"| {threads} | {row['ours']:,.0f} | {row['peer']:,.0f} | **{row['ratio_wall']:.2f}** | "
                     f"{pairs[0]:.2f} to {pairs[-1]:.2f} | {row['ratio_cpu']:.2f} |")
    quality = results["quality"]
    spread = lambda values: ", ".join(f"{value:.4f}" for value in values)
    two = quality["loss_two_threads"]
    lines += ["", "| of three seeds | ours | gensim | ours and gensim |", "|---|---|---|---|",
              f"| loss of the vectors, one thread | {spread(quality['loss']['ours'])} | {spread(quality['loss']['peer'])} | |",
              f"| two threads | {spread(two['ours'])} | {spread(two['peer'])} | |",
              f"| common ones of ten neighbors | {spread(quality['neighbors']['ours'])} | "
              f"{spread(quality['neighbors']['peer'])} | {spread(quality['neighbors']['both'])} |", "",
              "Loss: that of skip-gram with negative sampling on held-out pairs, with vectors of the predicted words that were fitted "
              "to as many other pairs for each side's vectors, scaled to one mean norm; random vectors have "
              f"{quality['loss']['random'][0]:.4f}. The time of both includes looking up the words' numbers."]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="folder of results")
    parser.add_argument("--mirror", type=Path, required=True, help="data mirror with wikitext-2")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release")
    arguments = parser.parse_args()
    python = make_environment(ROOT / "build" / "benchmarks-env-gensim", PACKAGES, "4.6 GB on disk, some minutes")
    folder = ROOT / "build" / "benchmarks-data-skip-gram"
    folder.mkdir(parents=True, exist_ok=True)
    text = folder / "text.txt"
    if not text.exists():
        prepare(arguments.mirror, text)
    environment = dict(os.environ, OMP_NUM_THREADS="1", MKL_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    ours = Worker([build(arguments.build.resolve(), "lvtext_benchmarks"), "skip-gram"], environment)
    peer = Worker([python, HERE / "peer_skip_gram.py"], environment)
    results = {"schema": "lvtext.benchmarks.skip_gram.1", "date": time.strftime("%Y-%m-%d"), "machine": machine(),
               "versions": PACKAGES[0], "speed": {}}
    file = lambda side, threads, seed: str(folder / f"{side}-{threads}-{seed}.safetensors")
    words = None
    for threads in (1, 2):
        blocks = []
        for seed in SEEDS:
            say(f"{threads} thread(s), seed {seed}")
            common = {"text": str(text), "width": WIDTH, "epochs": EPOCHS, "threads": threads, "seed": seed}
            one = ours.ask(json.dumps(common | {"vectors": file("ours", threads, seed)}))
            words = one.pop("vocabulary")
            two = peer.ask(json.dumps({"do": "fit", **common, "words": words, "vectors": file("peer", threads, seed)}))
            if one["words"] != two["words"]:
                sys.exit(f"skip_gram.py: {one['words']} and {two['words']} words")
            blocks.append((one, two))
        rate = lambda side, clock: statistics.median(block[side]["words"] / block[side][clock] for block in blocks)
        results["speed"][threads] = {
            "ours": rate(0, "seconds"), "peer": rate(1, "seconds"),
            "ratio_wall": rate(0, "seconds") / rate(1, "seconds"), "ratio_cpu": rate(0, "cpu") / rate(1, "cpu"),
            "ratios_wall": [two["seconds"] / one["seconds"] for one, two in blocks], "blocks": blocks}
        results["words"] = blocks[0][0]["words"] // EPOCHS
    results["vocabulary"] = len(words)
    say("losses and neighbors")
    ask = lambda do, **files: peer.ask(json.dumps({"do": do, "text": str(text), "words": words, **files}))["value"]
    sides = ("ours", "peer")
    results["quality"] = {
        "loss": {side: [ask("loss", vectors=file(side, 1, seed), width=WIDTH) for seed in SEEDS] for side in sides} |
                {"random": [ask("loss", vectors="", width=WIDTH)]},
        "loss_two_threads": {side: [ask("loss", vectors=file(side, 2, seed), width=WIDTH) for seed in SEEDS]
                             for side in sides},
        "neighbors": {side: [ask("neighbors", one=file(side, 1, a), two=file(side, 1, b))
                             for a, b in itertools.combinations(SEEDS, 2)] for side in sides} |
                     {"both": [ask("neighbors", one=file("ours", 1, seed), two=file("peer", 1, seed)) for seed in SEEDS]}}
    ours.close(), peer.close()
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "skip_gram.json").write_text(json.dumps(results, indent=1) + "\n")
    shown = markdown(results)
    (arguments.out / "skip_gram.md").write_text(shown)
    print(shown)


if __name__ == "__main__":
    main()
