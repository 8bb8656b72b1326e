#!/usr/bin/env python3
"""Benchmark of a training step of textual transfer against eager PyTorch, alternating in one run.

    tests/benchmarks/transfer.py --out docs/results/benchmarks [--build FOLDER]

Creates the peer's Python environment and builds lvtext_benchmarks like run.py. README.md in this
folder describes the measurement.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from run import (ENVIRONMENT, HERE, PACKAGES, ROOT, Worker, build, machine, make_environment, say,
                 summary)

STEPS_COMPARED = 3
TOLERANCE = 1e-3  # relative, of every loss: rounding may change a word of the greedy pass
FLOOR, AIM = 1.2, 1.6
ROWS = [("shared", "the same shared passes"), ("repeated", "a forward pass per update")]


class Bench:
    def __init__(self, arguments, python, executable, data):
        self.ours, self.peer = [executable, "transfer", data], [python, HERE / "peer_transfer.py", data]
        self.blocks, self.steps = arguments.blocks, arguments.steps
        self.environment = dict(os.environ, OMP_NUM_THREADS=str(arguments.threads),
                                MKL_NUM_THREADS=str(arguments.threads))

    def worker(self, command, *arguments):
        return Worker([*command, *arguments], self.environment)

    def compare_losses(self):
        """Trains both sides without noise and returns all losses of the last step."""
        ours, peer = self.worker(self.ours, "plain"), self.worker(self.peer, "plain", "shared")
        sides = [worker.ask(f"steps {STEPS_COMPARED}")["log"]["train"] for worker in (ours, peer)]
        ours.close(), peer.close()
        losses = {}
        for name, theirs in sides[1].items():
            difference = abs(sides[0][name] - theirs) / max(abs(theirs), 1e-2)
            losses[name] = {"ours": sides[0][name], "peer": theirs, "difference": difference}
            if difference > TOLERANCE:
                sys.exit(f"transfer.py: after {STEPS_COMPARED} steps, {name} is {sides[0][name]} "
                         f"and {theirs}")
        return losses

    def times(self):
        """Alternates blocks of lvtext and of both forms of the peer."""
        workers = [self.worker(self.ours, "noise"),
                   *(self.worker(self.peer, "noise", key) for key, _ in ROWS)]
        for worker in workers:
            worker.ask("steps 1")  # warm
        rates = {clock: [[] for _ in workers] for clock in ("seconds", "cpu")}
        for _ in range(self.blocks):
            for i, worker in enumerate(workers):
                answer = worker.ask(f"steps {self.steps}")
                for clock, sides in rates.items():
                    sides[i].append(answer["steps"] / answer[clock])
        for worker in workers:
            worker.close()
        return {key: summary({"wall": (rates["seconds"][0], rates["seconds"][i + 1]),
                              "cpu": (rates["cpu"][0], rates["cpu"][i + 1])}, "steps/s")
                for i, (key, _) in enumerate(ROWS)}


def markdown(results):
    here = results["machine"]
    lines = [
        "# A training step of textual transfer against eager PyTorch 2.11", "",
        f"{here['cpu']}, {here['cpus']} CPUs, {results['threads']} threads each, load "
        f"{here['load']:.1f} at the start; {results['date']}. Model M7 at the paper's sizes, 2 x 64 "
        f"sentences and 64 paraphrase pairs of 15 words, 10,000 words. Ratios above 1 mean that "
        f"lvtext is faster: ratio of medians of {results['blocks']} alternating blocks of "
        f"{results['steps']} steps, with the lowest and highest pair.", "",
        "| peer | ours, s per step | PyTorch, s per step | ratio (wall) | pairs | ratio (CPU time) | "
        "floor | aim |", "|---|---|---|---|---|---|---|---|"]
    for key, title in ROWS:
        wall, cpu = results[key]["wall"], results[key]["cpu"]
        bars = f"{FLOOR} | {AIM}" if key == "shared" else "- | -"
        lines.append(f"| {title} | {1 / wall['ours']:.2f} | {1 / wall['peer']:.2f} | "
                     f"**{wall['ratio']:.2f}** | {wall['lowest']:.2f}-{wall['highest']:.2f} | "
                     f"{cpu['ratio']:.2f} | {bars} |")
    lines += ["", f"Losses without noise after {STEPS_COMPARED} steps:", "",
              "| term | ours | PyTorch | relative difference |", "|---|---|---|---|"]
    for name, loss in results["losses"].items():
        lines.append(f"| `{name}` | {loss['ours']:.6f} | {loss['peer']:.6f} | "
                     f"{loss['difference']:.1e} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="folder of results")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release")
    parser.add_argument("--threads", type=int, default=min(2, os.cpu_count()))
    parser.add_argument("--blocks", type=int, default=5)
    parser.add_argument("--steps", type=int, default=2, help="training steps per block")
    arguments = parser.parse_args()

    python = make_environment(ENVIRONMENT, PACKAGES, "4.6 GB on disk, some minutes")
    executable = build(arguments.build.resolve(), "lvtext_benchmarks")
    data = ROOT / "build" / "benchmarks-transfer"
    if not (data / "batches.safetensors").exists():
        subprocess.run([executable, "transfer-prepare", data], check=True, cwd=ROOT,
                       stdout=subprocess.DEVNULL)
    bench = Bench(arguments, python, executable, data)
    results = {"schema": "lvtext.transfer_benchmark.1", "date": time.strftime("%Y-%m-%d"),
               "machine": machine(), "threads": arguments.threads, "blocks": arguments.blocks,
               "steps": arguments.steps, "peer": PACKAGES}
    say("losses")
    results["losses"] = bench.compare_losses()
    say("times")
    results |= bench.times()
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "transfer.json").write_text(json.dumps(results, indent=1) + "\n")
    text = markdown(results)
    (arguments.out / "transfer.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
