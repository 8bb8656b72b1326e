#!/usr/bin/env python3
"""Benchmark of exact t-SNE against scikit-learn's, alternating in one run.

    tests/benchmarks/run_tsne.py --out docs/results/benchmarks [--build FOLDER]

On the first run, creates the peer's Python environment (build/benchmarks-tsne-env) and builds the
executable lvtext_benchmarks. README.md in this folder describes the comparison.
"""

import argparse
import json
import os
import statistics
import sys
import time
from pathlib import Path

from run import HERE, ROOT, Worker, build, machine, make_environment, say, summary

PACKAGES = ["scikit-learn==1.9.1", "numpy==2.4.6", "safetensors==0.8.0"]
# Both sides minimize the same function from the same start, but one rounds to 24 bits: they reach
# different minima with equal divergence.
WORSE = 1.01
AGREEMENT = 1e-9


def measure(executable, python, arguments):
    folder = ROOT / "build" / "benchmarks-tsne-data"
    environment = dict(os.environ, OMP_NUM_THREADS=str(arguments.threads),
                       OPENBLAS_NUM_THREADS=str(arguments.threads))
    ours = Worker([executable, "tsne", folder], environment)
    ours.answer()
    peer = Worker([python, HERE / "peer_tsne.py", folder], environment)
    peer.answer()
    rates = {"wall": ([], []), "cpu": ([], [])}
    divergences = {"ours": [], "peer": []}
    for seed in range(arguments.blocks):
        say(f"block {seed + 1} of {arguments.blocks}")
        first = ours.ask(f"embed {seed}")
        second = peer.ask(f"embed {json.dumps(first['start'])}")
        if second["iterations"] != 1000:
            sys.exit(f"run_tsne.py: the peer ran {second['iterations']} iterations")
        for i, (side, answer) in enumerate((("ours", first), ("peer", second))):
            rates["wall"][i].append(1 / answer["seconds"])
            rates["cpu"][i].append(1 / answer["cpu"])
            again = peer.ask(f"divergence {json.dumps(answer['embedding'])}")["divergence"]
            divergences[side].append(again)
        if abs(first["divergence"] / divergences["ours"][-1] - 1) > AGREEMENT:
            sys.exit("run_tsne.py: the divergences computed by ours and by the peer differ: "
                     f"{first['divergence']} and {divergences['ours'][-1]}")
    ours.close(), peer.close()
    return summary(rates, "embeddings/s") | {"divergences": divergences}


def markdown(results):
    row, here = results["tsne"], results["machine"]
    wall, cpu = row["wall"], row["cpu"]
    both = {side: statistics.median(values) for side, values in row["divergences"].items()}
    lines = [
        "# t-SNE compared with scikit-learn", "",
        f"{here['cpu']}, {here['cpus']} CPUs, {results['threads']} threads each, load "
        f"{here['load']:.1f} at the start; {results['date']}; {', '.join(results['peer'])}. 1,000 "
        "points of 128 dimensions, exact method, 1,000 iterations from the same start; "
        f"{results['blocks']} alternating blocks with different starts, medians.", "",
        "| what | ours | scikit-learn | ratio (wall) | pairs | ratio (CPU time) | floor |",
        "|---|---|---|---|---|---|---|",
        f"| seconds | {1 / wall['ours']:.2f} | {1 / wall['peer']:.2f} | **{wall['ratio']:.1f}** | "
        f"{wall['lowest']:.1f}-{wall['highest']:.1f} | {cpu['ratio']:.1f} | 5 |",
        f"| KL(P \\|\\| Q), nats | {both['ours']:.4f} | {both['peer']:.4f} | "
        f"{both['ours'] / both['peer']:.4f} | - | - | at most {WORSE} |", "",
        "KL of every block, computed from the embeddings by one function: "
        + "; ".join(f"{a:.4f} and {b:.4f}" for a, b in
                    zip(row["divergences"]["ours"], row["divergences"]["peer"])) + "."]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="folder of results")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release")
    parser.add_argument("--threads", type=int, default=min(2, os.cpu_count()))
    parser.add_argument("--blocks", type=int, default=5)
    arguments = parser.parse_args()
    python = make_environment(ROOT / "build" / "benchmarks-tsne-env", PACKAGES, "300 MB on disk")
    executable = build(arguments.build.resolve(), "lvtext_benchmarks")
    results = {"schema": "lvtext.benchmarks.1", "date": time.strftime("%Y-%m-%d"),
               "machine": machine(), "threads": arguments.threads, "blocks": arguments.blocks,
               "peer": PACKAGES}
    results["tsne"] = measure(executable, python, arguments)
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "tsne.json").write_text(json.dumps(results, indent=1) + "\n")
    text = markdown(results)
    (arguments.out / "tsne.md").write_text(text)
    print(text)
    both = results["tsne"]["divergences"]
    if statistics.median(both["ours"]) > WORSE * statistics.median(both["peer"]):
        sys.exit("run_tsne.py: our divergence is higher than the peer's")


if __name__ == "__main__":
    main()
