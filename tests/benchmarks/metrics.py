#!/usr/bin/env python3
"""Benchmark of BLEU and ROUGE against sacrebleu and rouge-score, alternating in one run.

    tests/benchmarks/metrics.py --out docs/results/benchmarks --mirror FOLDER [--build FOLDER]

On the first run, creates the peers' Python environment (build/metrics-env) and builds the
executable lvtext_metric_benchmarks. Reads the 10,000 test pairs of sentence-compression-masked from
the mirror or the data cache. README.md in this folder describes the measurements.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from run import HERE, ROOT, Worker, build, machine, make_environment, say, summary

PACKAGES = ["sacrebleu==2.6.0", "rouge-score==0.1.2"]
TOLERANCE = 1e-9
ROWS = [  # key, title, peer
    ("bleu_corpus", "corpus BLEU-3", "sacrebleu"),
    ("bleu_sentence", "BLEU-3 of each sentence", "sacrebleu"),
    ("rouge", "ROUGE-1, 2 and 3 F1 of each pair", "rouge-score"),
]
BAR, AIM = 10, 40


def measure(workers, key, arguments):
    rates = {"wall": ([], []), "cpu": ([], [])}
    for block in range(arguments.blocks + 1):
        answers = [worker.ask(f"{key} {arguments.threads}") for worker in workers]
        if block == 0:
            apart = difference(key, *(answer["scores"] for answer in answers))
            continue  # the first one only warms up
        for side, answer in enumerate(answers):
            rates["wall"][side].append(answer["pairs"] / answer["seconds"])
            rates["cpu"][side].append(answer["pairs"] / answer["cpu"])
    means = [statistics.mean(scores) for scores in answers[0]["scores"]]
    return summary(rates, "pairs/s") | {"largest_difference": apart, "means": means}


def difference(key, ours, peer):
    """Returns the largest difference of any score of any pair; exits if above the tolerance."""
    largest = max(abs(a - b) for x, y in zip(ours, peer, strict=True)
                  for a, b in zip(x, y, strict=True))
    if largest > TOLERANCE:
        sys.exit(f"metrics.py: {key} differs by {largest}")
    return largest


def markdown(results):
    here = results["machine"]
    lines = [
        "# BLEU and ROUGE compared with sacrebleu and rouge-score", "",
        f"{here['cpu']}, {here['cpus']} CPUs, {results['threads']} thread for ours (peers: one), "
        f"load {here['load']:.1f} at the start; {results['date']}; {', '.join(results['peer'])}; "
        f"{results['pairs']} pairs of sentence-compression-masked: each compression of the test set and "
        "its sentence, tokens split at blanks. From sentences in memory to scores; ratios above 1 mean "
        f"that lvtext is faster: ratio of medians of {results['blocks']} alternating blocks, with the "
        "lowest and highest pair.", "",
        "| what | ours | peer | unit | ratio (wall) | pairs | ratio (CPU time) | floor | aim | apart, at most |",
        "|---|---|---|---|---|---|---|---|---|---|"]
    for key, title, peer in ROWS:
        row = results[key]
        wall, cpu = row["wall"], row["cpu"]
        lines.append(f"| {title} | {wall['ours']:.4g} | {wall['peer']:.4g} ({peer}) | {row['unit']} | "
                     f"**{wall['ratio']:.1f}** | {wall['lowest']:.1f}-{wall['highest']:.1f} | "
                     f"{cpu['ratio']:.1f} | {BAR} | {AIM} | {row['largest_difference']:.1e} |")
    means = {key: ", ".join(f"{mean:.4f}" for mean in results[key]["means"]) for key, _, _ in ROWS}
    lines += ["", f"Corpus BLEU-3 {means['bleu_corpus']}; mean sentence BLEU-3 {means['bleu_sentence']}; "
                  f"mean ROUGE-1, 2, 3 F1 {means['rouge']}."]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="folder of results")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release")
    parser.add_argument("--mirror", default=os.environ.get("LVTEXT_DATA_MIRROR", ""),
                        help="data folder with sentence-compression/ (default: the data cache)")
    parser.add_argument("--threads", type=int, default=1, help="of ours")
    parser.add_argument("--blocks", type=int, default=5)
    arguments = parser.parse_args()

    python = make_environment(ROOT / "build" / "metrics-env", PACKAGES, "100 MB on disk")
    executable = build(arguments.build.resolve(), "lvtext_metric_benchmarks")
    data = ROOT / "build" / "metrics-data"
    if not (data / "references.txt").exists():
        say(f"data into {data}")
        subprocess.run([executable, "prepare", data, arguments.mirror], check=True, cwd=ROOT)
    workers = (Worker([executable, "serve", data], None),
               Worker([python, HERE / "metrics_peer.py", data], None))
    results = {"schema": "lvtext.metric-benchmarks.1", "date": time.strftime("%Y-%m-%d"),
               "machine": machine(), "threads": arguments.threads, "blocks": arguments.blocks,
               "pairs": len((data / "references.txt").read_text().splitlines()), "peer": PACKAGES}
    for key, _, _ in ROWS:
        say(key)
        results[key] = measure(workers, key, arguments)
    for worker in workers:
        worker.close()
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "metrics.json").write_text(json.dumps(results, indent=1) + "\n")
    text = markdown(results)
    (arguments.out / "metrics.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
