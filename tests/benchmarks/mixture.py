#!/usr/bin/env python3
"""Benchmark of the decoder of vec2sent with its mixture of softmaxes, and of exact transport.

    tests/benchmarks/mixture.py --out docs/results/benchmarks [--build FOLDER] [--blocks N]

README.md in this folder describes the comparison. Uses the environment and the executable of run.py
and the packages pyemd and POT, which it installs beside.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from run import ENVIRONMENT, HERE, PACKAGES, ROOT, Worker, build, machine, make_environment, say

SOLVERS = ["pyemd==1.1.0", "POT==0.9.6.post1"]
TOLERANCE = 1e-4  # relative
MAKE = """
import sys
import torch
from safetensors.torch import save_file
file, batch, steps, experts, vocabulary, width, hidden, context, layers = sys.argv[1], *map(int, sys.argv[2:])
torch.manual_seed(1)
draw = lambda *shape: torch.rand(*shape) * 2 - 1
data = {"vectors": draw(batch, steps, width), "context": draw(batch, context),
        "context_weight": draw(4 * hidden, context) * hidden ** -0.5, "table": draw(vocabulary, width) * 0.3,
        "latent_weight": draw(experts * width, hidden) * hidden ** -0.5, "latent_bias": draw(experts * width) * 0.1,
        "prior_weight": draw(experts, hidden) * hidden ** -0.5, "bias": torch.zeros(vocabulary),
        "states": draw(batch * steps, hidden) * 0.5, "targets": torch.randint(vocabulary, (batch * steps,))}
for i in range(layers):
    data[f"weight_ih_{i}"] = draw(4 * hidden, hidden if i else width) * hidden ** -0.5
    data[f"weight_hh_{i}"] = draw(4 * hidden, hidden) * hidden ** -0.5
    data[f"bias_ih_{i}"], data[f"bias_hh_{i}"] = (draw(4 * hidden) * 0.1 for _ in range(2))
save_file(data, file)
"""
MAKE_PROBLEMS = """
import sys
import numpy
import torch
from safetensors.torch import save_file
random, numbers, sizes = numpy.random.default_rng(1), [], []
for _ in range(int(sys.argv[2])):
    m, n = random.integers(8, 41, 2)
    x, y = (random.normal(size=(rows, 32)) for rows in (m, n))
    x, y = (points / numpy.linalg.norm(points, axis=1, keepdims=True) for points in (x, y))
    sizes.append([m, n])
    numbers += [numpy.maximum(2 - 2 * x @ y.T, 0).ravel(), numpy.full(m, 1 / m), numpy.full(n, 1 / n)]
save_file({"numbers": torch.from_numpy(numpy.concatenate(numbers)), "sizes": torch.tensor(sizes)}, sys.argv[1])
"""
# Sizes: sentences, steps, K, V, D, units, width of the vectors, layers.
SIZES = {"paper": (64, 15, 15, 30000, 300, 1024, 1024, 3), "cpu": (64, 12, 3, 4000, 128, 256, 384, 3)}
# Title, task, file, our task, repeats, bar, aim.
PAIRS = [("training step", "step", "at least 1.1", "1.4"), ("mixture of softmaxes alone", "mixture", "-", "-"),
         ("LSTM layers alone", "lstm", "-", "-")]
SOLVED = [("pyemd / ours", "pyemd", "at least 3", "-"), ("POT / ours", "pot", "at least 1.5", "-")]


def measure(workers, title, file, tasks, count, blocks, bar, aim):
    say(title)
    commands = [f"{file} {task} {count}" for task in tasks]
    first = [worker.ask(command) for worker, command in zip(workers, commands)]
    for field in ("value", "gradient"):
        if field in first[0] and abs(first[0][field] - first[1][field]) > TOLERANCE * abs(first[1][field]):
            sys.exit(f"mixture.py: {title}, {field}: {first[0][field]} and {first[1][field]}")
    answers = [[worker.ask(command) for worker, command in zip(workers, commands)] for _ in range(blocks)]
    result = {"title": title, "bar": bar, "aim": aim}
    for clock in ("seconds", "cpu"):
        pairs = [peer[clock] / ours[clock] for ours, peer in answers]
        ours, peer = (statistics.median(pair[k][clock] for pair in answers) for k in (0, 1))
        result[clock] = {"ours": ours, "peer": peer, "ratio": peer / ours, "lowest": min(pairs), "highest": max(pairs)}
    return result


def peak(command, environment, file, task):
    """Memory of a process that runs one task, minus that with the parameters alone, in MiB."""
    worker = Worker(command, environment)
    worker.ask(f"{file} lstm 1")
    before = worker.ask(f"{file} lstm 1")["peak"]
    after = worker.ask(f"{file} {task} 1")["peak"]
    worker.close()
    return after - before


def markdown(results):
    here = results["machine"]
    lines = ["# Mixture of softmaxes and transport", "",
             f"{here['cpu']}, {here['cpus']} CPUs, {results['threads']} threads each, load {here['load']:.1f} at the "
             f"start; {results['date']}; {', '.join(results['peer'])}. Medians of {results['blocks']} alternating "
             "blocks, ratios with the lowest and highest pair. Results of both sides were compared first.", "",
             "| what | ours, ms | peer, ms | ratio (CPU time) | pairs | ratio (wall) | bar | aim |",
             "|---|---|---|---|---|---|---|---|"]
    for row in results["rows"]:
        cpu, wall = row["cpu"], row["seconds"]
        lines.append(f"| {row['title']} | {1000 * cpu['ours']:.1f} | {1000 * cpu['peer']:.1f} | **{cpu['ratio']:.2f}** | "
                     f"{cpu['lowest']:.2f}-{cpu['highest']:.2f} | {wall['ratio']:.2f} | {row['bar']} | {row['aim']} |")
    for name, (ours, peer) in results["memory"].items():
        share = f"1/{peer / ours:.1f}" if ours >= 1 else "less than the peak of the layers, which is not counted"
        lines += ["", f"Memory of the mixture beyond that of the layers, {name}: {ours:.0f} MiB, peer {peer:.0f} MiB: "
                      f"{share} (bar 1/4, aim 1/15)."]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="folder of results")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--blocks", type=int, default=3)
    parser.add_argument("--sizes", nargs="+", default=list(SIZES), choices=list(SIZES))
    arguments = parser.parse_args()
    python = make_environment(ENVIRONMENT, PACKAGES, "4.6 GB on disk, some minutes")
    package = ROOT / "build" / "benchmarks-transport"
    if not package.exists():
        subprocess.run([python, "-m", "pip", "install", "-q", "--no-input", "--no-deps", "--target", package, *SOLVERS],
                       check=True)
    environment = dict(os.environ, OMP_NUM_THREADS=str(arguments.threads), MKL_NUM_THREADS=str(arguments.threads),
                       PYTHONPATH=str(package))
    commands = [[build(arguments.build.resolve(), "lvtext_benchmarks"), "mixture"],
                [python, HERE / "peer_mixture.py"]]
    workers = [Worker(command, environment) for command in commands]
    folder = ROOT / "build" / "benchmarks-data-mixture"
    folder.mkdir(parents=True, exist_ok=True)
    results = {"schema": "lvtext.benchmarks.mixture.1", "date": time.strftime("%Y-%m-%d"), "machine": machine(),
               "threads": arguments.threads, "blocks": arguments.blocks, "peer": [PACKAGES[0], *SOLVERS],
               "rows": [], "memory": {}}
    for name in arguments.sizes:
        file = folder / f"{name}.safetensors"
        if not file.exists():
            subprocess.run([python, "-c", MAKE, str(file), *map(str, SIZES[name])], check=True)
        for title, task, bar, aim in PAIRS:
            count = 1 if name == "paper" else 5
            results["rows"].append(measure(workers, f"{title}, {name}", file, (task, task), count, arguments.blocks,
                                           *((bar, aim) if name == "paper" else ("-", "-"))))
        results["memory"][name] = [peak(command, environment, file, "mixture") for command in commands]
    problems = folder / "problems.safetensors"
    if not problems.exists():
        subprocess.run([python, "-c", MAKE_PROBLEMS, str(problems), "10000"], check=True)
    for title, solver, bar, aim in SOLVED:
        results["rows"].append(measure(workers, f"transport of 10,000 pairs: {title}", problems, ("transport", solver), 1,
                                       arguments.blocks, bar, aim))
    for worker in workers:
        worker.close()
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "mixture.json").write_text(json.dumps(results, indent=1) + "\n")
    text = markdown(results)
    (arguments.out / "mixture.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
