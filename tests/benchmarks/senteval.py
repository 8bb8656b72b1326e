#!/usr/bin/env python3
"""Benchmark of the classifiers of `senteval` against the same protocol in plain PyTorch, one probe at a time.

    tests/benchmarks/senteval.py --out docs/results/benchmarks --mirror /path/of/data-mirror [--build FOLDER]

README.md in this folder describes the comparison. Uses the environment and the executable of run.py.
"""

import argparse
import gzip
import json
import os
import sys
import time
from pathlib import Path

from run import ENVIRONMENT, HERE, PACKAGES, ROOT, Worker, build, machine, make_environment, say

WIDTH, FOLDS, POINTS = 512, 10, 1.0
# The mean of random vectors of the words of each sentence.
MAKE = """
import sys
import torch
from safetensors.torch import save_file
lines = [line.split() for line in open(sys.argv[1], encoding="utf-8", newline="\\n").read().split("\\n") if line.strip()]
words = {word: i for i, word in enumerate(sorted({word for line in lines for word in line[1:]}))}
vectors = torch.randn(len(words), int(sys.argv[3]), generator=torch.Generator().manual_seed(1))
save_file({"features": torch.stack([vectors[[words[word] for word in line[1:]]].mean(0) for line in lines]),
           "classes": torch.tensor([int(line[0]) for line in lines])}, sys.argv[2])
"""


def markdown(results):
    here, ours, peer = (results[key] for key in ("machine", "ours", "peer"))
    return "\n".join([
        "# Classifiers of senteval compared with plain PyTorch", "",
        f"{here['cpu']}, {here['cpus']} CPUs, {results['threads']} threads each, load {here['load']:.1f} at the start; "
        f"{results['date']}; {results['versions']}. The task MR ({results['rows']:,} sentences, {WIDTH} values each) by SentEval's "
        "recommended settings: 10 folds, within each of them 10 folds for four weight decays, Adam, batches of 64, tenacity 5, "
        f"evaluations every 4 passes: 410 probes. lvtext trains them together; the peer trains one at a time, and only those of the "
        f"first of the ten folds are timed ({peer['probes']}), times ten.", "",
        "| | seconds | CPU seconds | accuracy, % |", "|---|---|---|---|",
        f"| lvtext, all folds | {ours['seconds']:.1f} | {ours['cpu']:.1f} | {ours['accuracy']:.2f}, in the first fold "
        f"{ours['first']:.2f} |",
        f"| PyTorch, one fold times {FOLDS} | {FOLDS * peer['seconds']:.1f} | {FOLDS * peer['cpu']:.1f} | "
        f"in the first fold {peer['first']:.2f} |", "",
        f"Ratio **{results['ratio_wall']:.1f}** by the clock, {results['ratio_cpu']:.1f} by CPU time (at least 5, aim 20)."]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="folder of results")
    parser.add_argument("--mirror", type=Path, required=True, help="data mirror with senteval/MR.txt.gz")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release")
    parser.add_argument("--threads", type=int, default=min(2, os.cpu_count()))
    arguments = parser.parse_args()
    python = make_environment(ENVIRONMENT, PACKAGES, "4.6 GB on disk, some minutes")
    environment = dict(os.environ, OMP_NUM_THREADS=str(arguments.threads), MKL_NUM_THREADS=str(arguments.threads))
    folder = ROOT / "build" / "benchmarks-data-senteval"
    folder.mkdir(parents=True, exist_ok=True)
    lines, data = folder / "MR.txt", folder / "MR.safetensors"
    if not data.exists():
        say(f"vectors into {data}")
        lines.write_bytes(gzip.open(arguments.mirror / "senteval/MR.txt.gz").read())
        Worker([python, "-c", MAKE, lines, data, WIDTH], environment).close()
    ours = Worker([build(arguments.build.resolve(), "lvtext_benchmarks"), "senteval"], environment)
    peer = Worker([python, HERE / "peer_senteval.py"], environment)
    results = {"schema": "lvtext.benchmarks.senteval.1", "date": time.strftime("%Y-%m-%d"), "machine": machine(),
               "threads": arguments.threads, "versions": next(each for each in PACKAGES if each.startswith("torch"))}
    say("lvtext")
    results["ours"] = ours.ask(str(data))
    say("PyTorch")
    # The same outer folds, so that the accuracy of the first one can be compared.
    results["peer"] = peer.ask(json.dumps({"file": str(data), "folds": results["ours"].pop("folds")}))
    ours.close(), peer.close()
    results["rows"] = results["peer"].pop("rows")
    for ratio, clock in (("ratio_wall", "seconds"), ("ratio_cpu", "cpu")):
        results[ratio] = FOLDS * results["peer"][clock] / results["ours"][clock]
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "senteval.json").write_text(json.dumps(results, indent=1) + "\n")
    text = markdown(results)
    (arguments.out / "senteval.md").write_text(text)
    print(text)
    difference = abs(results["ours"]["first"] - results["peer"]["first"])
    if difference > POINTS:
        sys.exit(f"senteval.py: the accuracies of the first fold differ by {difference:.2f} points")


if __name__ == "__main__":
    main()
