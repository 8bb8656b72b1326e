#!/usr/bin/env python3
"""Benchmark of a training step of ARAE whose generator is dead, against plain PyTorch.

    tests/benchmarks/arae.py --out docs/results/benchmarks [--build FOLDER]

Creates the peer's Python environment and builds lvtext_benchmarks like run.py. README.md in this
folder describes the measurement.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from run import (ENVIRONMENT, HERE, PACKAGES, ROOT, Worker, build, machine, make_environment, say)

TOLERANCE = 0.02  # relative, of the first reconstruction loss: both sides have noise of their own
# key, title, side, arguments, whether the generator is dead
WORKERS = [
    ("start", "lvtext, one round per step", "ours", ["flushed", "start"], False),
    ("live", "lvtext, four rounds per step", "ours", ["flushed", "late"], False),
    ("dead", "the same, generator dead", "ours", ["flushed", "late"], True),
    ("dead_kept", "the same without flushing subnormal numbers", "ours", ["default", "late"], True),
    ("peer_live", "PyTorch, four rounds per step", "peer", ["default"], False),
    ("peer_dead", "the same, generator dead", "peer", ["default"], True),
    ("peer_flushed", "the same with torch.set_flush_denormal", "peer", ["flushed"], True),
]
RATIOS = [  # key, title, slower side, faster side, bar
    ("rounds", "our time of a step, four rounds / one round", "live", "start", "-"),
    ("dead_live", "our time of a step, dead / live", "dead", "live", "at most 1.05"),
    ("kept_dead", "our time of a step, not flushed / flushed", "dead_kept", "dead", "-"),
    ("peer_ours", "PyTorch / lvtext, dead", "peer_dead", "dead", "-"),
    ("peer_ours_flushed", "PyTorch with flushing / lvtext, dead", "peer_flushed", "dead", "-"),
    ("peer_ours_live", "PyTorch / lvtext, live", "peer_live", "live", "-"),
]


def measure(arguments, python, executable, data):
    environment = dict(os.environ, OMP_NUM_THREADS=str(arguments.threads),
                       MKL_NUM_THREADS=str(arguments.threads))
    commands = {"ours": [executable, "arae", data], "peer": [python, HERE / "peer_arae.py", data]}
    workers, losses = {}, {}
    for key, _, side, more, dead in WORKERS:
        workers[key] = Worker([*commands[side], *more], environment)
        first = workers[key].ask("steps 1")["log"]["train"]["autoencoder/token_nll"]
        losses.setdefault(side, first)
        if dead:
            workers[key].ask("dead")
            workers[key].ask("steps 1")
    if abs(losses["ours"] - losses["peer"]) > TOLERANCE * losses["peer"]:
        sys.exit(f"arae.py: the first losses are {losses['ours']} and {losses['peer']}")
    times = {clock: {key: [] for key in workers} for clock in ("seconds", "cpu")}
    for _ in range(arguments.blocks):
        for key, worker in workers.items():
            answer = worker.ask(f"steps {arguments.steps}")
            for clock in times:
                times[clock][key].append(answer[clock] / answer["steps"])
    for worker in workers.values():
        worker.close()
    return times, losses


def ratio(times, slower, faster):
    pairs = [a / b for a, b in zip(times[slower], times[faster], strict=True)]
    middle = statistics.median(times[slower]) / statistics.median(times[faster])
    return {"ratio": middle, "lowest": min(pairs), "highest": max(pairs)}


def markdown(results):
    here, times = results["machine"], results["times"]
    lines = [
        "# A training step of ARAE whose generator is dead", "",
        f"{here['cpu']}, {here['cpus']} CPUs, {results['threads']} threads each, load "
        f"{here['load']:.1f} at the start; {results['date']}. Widths 300, 8,000 words, 64 sentences "
        f"of 15 words, five updates of the critic and one of the generator per round. Median of "
        f"{results['blocks']} alternating blocks of {results['steps']} steps.", "",
        "| program | wall, ms per step | CPU, ms per step |", "|---|---|---|"]
    for key, title, *_ in WORKERS:
        wall, cpu = (1000 * statistics.median(times[clock][key]) for clock in ("seconds", "cpu"))
        lines.append(f"| {title} | {wall:.1f} | {cpu:.1f} |")
    lines += ["", "| ratio | wall | pairs | CPU time | bar |", "|---|---|---|---|---|"]
    for key, title, slower, faster, bar in RATIOS:
        wall, cpu = (ratio(times[clock], slower, faster) for clock in ("seconds", "cpu"))
        lines.append(f"| {title} | **{wall['ratio']:.2f}** | {wall['lowest']:.2f}-"
                     f"{wall['highest']:.2f} | {cpu['ratio']:.2f} | {bar} |")
    lines += ["", f"Reconstruction loss of the first step: {results['losses']['ours']:.4f} and "
                  f"{results['losses']['peer']:.4f}; each side draws its own noise."]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="folder of results")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release")
    parser.add_argument("--threads", type=int, default=min(2, os.cpu_count()))
    parser.add_argument("--blocks", type=int, default=5)
    parser.add_argument("--steps", type=int, default=5, help="training steps per block")
    arguments = parser.parse_args()

    python = make_environment(ENVIRONMENT, PACKAGES, "4.6 GB on disk, some minutes")
    executable = build(arguments.build.resolve(), "lvtext_benchmarks")
    data = ROOT / "build" / "benchmarks-arae"
    if not (data / "batches.safetensors").exists():
        subprocess.run([executable, "arae-prepare", data], check=True, cwd=ROOT,
                       stdout=subprocess.DEVNULL)
    results = {"schema": "lvtext.arae_benchmark.1", "date": time.strftime("%Y-%m-%d"),
               "machine": machine(), "threads": arguments.threads, "blocks": arguments.blocks,
               "steps": arguments.steps, "peer": PACKAGES}
    say("steps of ARAE")
    results["times"], results["losses"] = measure(arguments, python, executable, data)
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "arae.json").write_text(json.dumps(results, indent=1) + "\n")
    text = markdown(results)
    (arguments.out / "arae.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
