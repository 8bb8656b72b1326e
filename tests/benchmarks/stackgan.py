#!/usr/bin/env python3
"""Benchmark of a training step of the text-to-image GANs, against plain PyTorch.

    tests/benchmarks/stackgan.py --out docs/results/benchmarks [--only one_small ...] [--build FOLDER] [--device cuda]

Creates the peer's Python environment and builds lvtext_benchmarks like run.py. README.md in this
folder describes the measurement.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import time
from pathlib import Path

from run import (ENVIRONMENT, GIVEN_STEPS, HERE, LOSS_TOLERANCE, PACKAGES, ROOT, Worker, build,
                 machine, make_environment, say, summary)

FIRST_TOLERANCE = {"fp32": 1e-6, "bf16": 1e-2}
FLOAT64_TOLERANCE = 1e-6
GROWN_ROUNDING = 1e-7  # between the peer's two forms in float64
PRECISIONS = {"cpu": "fp32", "cuda": "bf16"}  # of timed steps; the peer's bf16 is autocast
PEERS = {  # memory format of the peer, floor
    "cpu": {"channels_last": "1.0", "plain": "1.15"},
    "cuda": {"channels_last": "1.0, aim 1.5", "plain": "-"},
}
ROWS = {  # key: title, options of lvtext_benchmarks stackgan
    "one_small": ("stage I, 64 px, widths 16 and 16, B 64",
                  "{stage: 1, size: 64, batch: 64, generator: 16, discriminator: 16}"),
    "two_small": ("stage II, 128 px, widths 16 and 16, two residual blocks, B 40",
                  "{stage: 2, size: 128, batch: 40, generator: 16, discriminator: 16, residual: 2}"),
    "one": ("stage I, 64 px, widths 128 and 64, B 64",
            "{stage: 1, size: 64, batch: 64, generator: 128, discriminator: 64}"),
    "two": ("stage II, 256 px, widths 128 and 64, four residual blocks, B 40",
            "{stage: 2, size: 256, batch: 40, generator: 128, discriminator: 64, residual: 4}"),
}


def objectives(losses):
    """Objectives of the discriminator and the generator from the terms of one step of lvtext."""
    of = {name.split("/")[1]: value for name, value in losses.items() if "/" in name}
    if "right_image" in of:
        disc = (of["right"] + of["right_image"]) / 2 + (
            of["wrong"] + of["fake"] + of["fake_image"]) / 3
    else:
        disc = of["right"] + (of["wrong"] + of["fake"]) / 2
    return {"disc": disc, "gen": of["adv"] + of.get("adv_image", 0) + 0.05 * of["kl"]}


def differences(some, others):
    """Returns the relative difference of the objectives by step: the largest so far."""
    worst, by_step = 0.0, []
    for one, other in zip(some, others, strict=True):
        if not all(map(math.isfinite, [*one.values(), *other.values()])):
            sys.exit(f"stackgan.py: an objective is not finite: {one}, {other}")
        worst = max(worst, *(abs(one[key] - other[key]) / abs(other[key]) for key in other))
        by_step.append(worst)
    return by_step


def started(arguments, python, executable, options, folder, precision):
    """Returns our worker and the peer's, which start from the same parameters, batches and noise."""
    environment = dict(os.environ, OMP_NUM_THREADS=str(arguments.threads),
                       MKL_NUM_THREADS=str(arguments.threads))
    more = "float64: true" if precision == "fp64" else f"precision: {precision}"
    options = f"{options[:-1]}, device: {arguments.device}, {more}}}"
    if not (folder / "batches.safetensors").exists():
        subprocess.run([executable, "stackgan-prepare", folder, options], check=True,
                       stdout=subprocess.DEVNULL)
    workers = {"ours": Worker([executable, "stackgan", folder, options], environment)}
    for form in PEERS[arguments.device]:
        workers[form] = Worker([python, HERE / "peer_stackgan.py", folder, form, arguments.device, precision],
                               environment)
    return workers


def first_losses(workers, steps):
    """Returns the objectives of the first steps by worker."""
    losses = {side: worker.ask(f"steps {steps}")["losses"] for side, worker in workers.items()}
    losses["ours"] = [objectives(step) for step in losses["ours"]]
    return losses


def refuse_distant(name, steps, ours, own, tolerance):
    """Ends the run if a difference is larger than `tolerance` and twice what separates the peer's two forms."""
    if ours[steps - 1] > max(tolerance, 2 * own[steps - 1]):
        sys.exit(f"stackgan.py: after {steps} steps, losses of {name} and of the peer are up to "
                 f"{ours[steps - 1]:.1e} apart, those of the peer's two forms {own[steps - 1]:.1e}")


def compare_in_float64(arguments, python, executable, options, folder):
    """Returns the relative differences in float64 by step, where rounding hides no other difference.

    Even there they can grow a thousandfold in a step; what is checked are the steps before the peer's two forms
    part.
    """
    workers = started(arguments, python, executable, options, folder, "fp64")
    losses = first_losses(workers, arguments.compared)
    for worker in workers.values():
        worker.close()
    own = differences(losses["channels_last"], losses["plain"])
    ours = differences(losses["ours"], losses["plain"])
    undisturbed = max(1, sum(apart < GROWN_ROUNDING for apart in own))
    refuse_distant(folder.name, undisturbed, ours, own, FLOAT64_TOLERANCE)
    return {"ours": ours, "peer": own}


def measure(arguments, python, executable, options, folder):
    precision = PRECISIONS[arguments.device]
    float64 = compare_in_float64(arguments, python, executable, options, folder.with_name(folder.name + "_float64"))
    workers = started(arguments, python, executable, options, folder, precision)
    losses = first_losses(workers, arguments.compared)
    peers = PEERS[arguments.device]
    # Rounding grows quickly in these trainings, so the peer's two forms are the measure: after all steps, because
    # the step in which it grows is another one in each form.
    own = differences(losses["channels_last"], losses["plain"])
    nearest = [min(pair) for pair in zip(*(differences(losses["ours"], losses[form]) for form in peers))]
    # Only the first objective of D precedes every update. Adam's first update is a sign for each
    # parameter, so that a gradient near 0 that is rounded differently moves it the other way.
    first = min(abs(losses["ours"][0]["disc"] / losses[form][0]["disc"] - 1) for form in peers)
    result = {"float64": float64, "first": first, "difference": nearest, "peer_difference": own}
    if first > FIRST_TOLERANCE[precision]:
        sys.exit(f"stackgan.py: before any update, D's objectives of {folder.name} and of the peer are {first:.1e} apart")
    refuse_distant(folder.name, arguments.compared, nearest, own, LOSS_TOLERANCE[precision])
    say(f"{folder.name}: timing")
    rates = {side: {"wall": [], "cpu": []} for side in workers}
    for _ in range(arguments.blocks):
        for side, worker in workers.items():
            answer = worker.ask(f"steps {arguments.steps}")
            rates[side]["wall"].append(answer["images"] / answer["seconds"])
            rates[side]["cpu"].append(answer["images"] / answer["cpu"])
    for worker in workers.values():
        worker.close()
    for form in peers:
        result[form] = summary({clock: (rates["ours"][clock], rates[form][clock])
                                for clock in ("wall", "cpu")}, "images/s")
    return result


def markdown(results):
    here = results["machine"]
    lines = [
        "# A training step of the text-to-image GANs", "",
        (f"{here['gpu']}, bf16, the peer with autocast; " if "gpu" in here else "") +
        f"{here['cpu']}, {here['cpus']} CPUs, {results['threads']} threads each, load "
        f"{here['load']:.1f} at the start; {results['date']}; {results['peer'][0]}. Ratios above 1 mean "
        f"that lvtext is faster: ratio of medians of {results['blocks']} alternating blocks of "
        f"{results['steps']} steps, with the lowest and highest pair.", "",
        "| step | peer | ours, images/s | PyTorch, images/s | ratio (wall) | pairs | ratio (CPU time) "
        "| floor |", "|---|---|---|---|---|---|---|---|"]
    for key, (title, _) in ROWS.items():
        for form, floor in PEERS[results["device"]].items():
            if key not in results["rows"]:
                continue
            row = results["rows"][key][form]
            wall, cpu = row["wall"], row["cpu"]
            lines.append(f"| {title} | {form} | {wall['ours']:.1f} | {wall['peer']:.1f} | "
                         f"**{wall['ratio']:.2f}** | {wall['lowest']:.2f}-{wall['highest']:.2f} | "
                         f"{cpu['ratio']:.2f} | {floor} |")
    bar = LOSS_TOLERANCE["fp32"]
    for key, row in results["rows"].items():
        ours, peer, float64 = row["difference"], row["peer_difference"], row["float64"]
        below = [sum(apart < bar for apart in float64[side]) for side in ("ours", "peer")]
        lines += ["", f"Objectives of {key}, relative differences: D's before any update {row['first']:.1e}; at most "
                      f"{ours[-1]:.1e} in {len(ours)} steps, {peer[-1]:.1e} between the peer's two forms; in float64 "
                      f"{float64['ours'][-1]:.1e} and {float64['peer'][-1]:.1e}, below {bar:.0e} in the first "
                      f"{below[0]} and {below[1]} steps."]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="folder of results")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release")
    parser.add_argument("--threads", type=int, default=min(2, os.cpu_count()))
    parser.add_argument("--blocks", type=int, default=5)
    parser.add_argument("--steps", type=int, default=2, help="training steps per block")
    parser.add_argument("--compared", type=int, default=GIVEN_STEPS, choices=range(1, GIVEN_STEPS + 1),
                        metavar="N", help="steps whose losses are compared first")
    parser.add_argument("--device", choices=list(PEERS), default="cpu",
                        help="cuda: bf16, the peer with autocast; --out must be another folder than the CPU's")
    parser.add_argument("--only", nargs="*", choices=list(ROWS), default=list(ROWS))
    arguments = parser.parse_args()

    python = make_environment(ENVIRONMENT, PACKAGES, "4.6 GB on disk, some minutes")
    executable = build(arguments.build.resolve(), "lvtext_benchmarks")
    here = machine()
    if arguments.device == "cuda":
        here["gpu"] = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], check=True,
                                     capture_output=True, text=True).stdout.strip()
    results = {"schema": "lvtext.stackgan_benchmark.1", "date": time.strftime("%Y-%m-%d"),
               "machine": here, "device": arguments.device, "threads": arguments.threads, "blocks": arguments.blocks,
               "steps": arguments.steps, "compared": arguments.compared, "peer": PACKAGES, "rows": {}}
    arguments.out.mkdir(parents=True, exist_ok=True)
    for key in arguments.only:
        say(key)
        folder = ROOT / "build" / "benchmarks-stackgan" / key
        results["rows"][key] = measure(arguments, python, executable, ROWS[key][1], folder)
        (arguments.out / "stackgan.json").write_text(json.dumps(results, indent=1) + "\n")
    text = markdown(results)
    (arguments.out / "stackgan.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
