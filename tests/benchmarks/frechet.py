#!/usr/bin/env python3
"""Benchmark of the Fréchet distance against pytorch-fid's function, in one run.

    tests/benchmarks/frechet.py --out docs/results/benchmarks [--build FOLDER] [--blocks N]

README.md in this folder describes the comparison. Uses the environment and the executable of run.py.
"""

import argparse
import json
import os
import sys
import time
from pathlib import Path

from run import ENVIRONMENT, HERE, PACKAGES, ROOT, Worker, build, machine, make_environment, say

TOLERANCE = 1e-6
# Name, number of vectors, width, rank. Fewer vectors than the width, or dimensions that are linear
# combinations of others, make the covariance singular.
CASES = [("full", 10000, 4096, 4096), ("few_vectors", 500, 1024, 1024),
         ("dependent_dimensions", 3000, 1024, 200)]
MAKE = """
import sys
import numpy as np
from safetensors.numpy import save_file
file, count, width, rank = sys.argv[1], *map(int, sys.argv[2:])
draw = np.random.default_rng(1)
mix = draw.standard_normal((rank, width)) * np.exp(-np.arange(rank) / (rank / 3))[:, None] / np.sqrt(rank)
sets = {}
for name, shift, scale in (("x", 0.0, 1.0), ("y", 0.02, 1.1)):
    rows = draw.standard_normal((count, rank)) * scale @ mix + shift
    sets[name] = rows.astype(np.float32 if rank == width else np.float64)
save_file(sets, file)
"""


def measure(name, file, ours, peer, blocks):
    results = []
    for block in range(blocks):
        say(f"{name}, block {block + 1} of {blocks}")
        a = ours.ask(str(file))
        b = peer.ask(f"{file} exact" if name != "full" else str(file))
        results.append({"ours": a, "peer": b})
    first = results[0]
    right = first["peer"].get("exact", first["peer"].get("value"))
    ratio = lambda clock: (sorted(b["peer"][clock] / b["ours"][clock] for b in results)[blocks // 2])
    summary = {"ours": first["ours"]["value"],
               "peer": first["peer"].get("value", first["peer"].get("error")), "right": right,
               "difference": abs(first["ours"]["value"] - right) / abs(right),
               "ratio_wall": ratio("seconds"), "ratio_cpu": ratio("cpu"), "blocks": results}
    if summary["difference"] > TOLERANCE:
        sys.exit(f"frechet.py: {name}: {first['ours']['value']}, but {right} is right")
    return summary


def markdown(results):
    here = results["machine"]
    lines = [
        "# The Fréchet distance compared with pytorch-fid", "",
        f"{here['cpu']}, {here['cpus']} CPUs, {results['threads']} threads each, load "
        f"{here['load']:.1f} at the start; {results['date']}; {', '.join(results['peer'])}. The "
        "peer's time includes numpy's moments and pytorch-fid's function, ours the same from the same "
        "vectors; ratios above 1 mean that lvtext is faster. The reference of a singular case is "
        "the nuclear norm of the centered sets by numpy's singular values, that of the full one the "
        "peer's.", "",
        "| case | vectors | width | rank | ours | peer | our error | ours, s | peer, s | ratio (wall) "
        "| ratio (CPU time) |", "|---|---|---|---|---|---|---|---|---|---|---|"]
    for name, count, width, rank in CASES:
        if name not in results:
            continue
        row = results[name]
        peer = row["peer"] if isinstance(row["peer"], str) else f"{row['peer']:.9g}"
        seconds = [row["blocks"][0][side]["seconds"] for side in ("ours", "peer")]
        lines.append(f"| {name} | 2 x {count} | {width} | {min(rank, count - 1)} | {row['ours']:.9g} "
                     f"| {peer} | {row['difference']:.1e} | {seconds[0]:.2f} | {seconds[1]:.2f} | "
                     f"**{row['ratio_wall']:.1f}** | {row['ratio_cpu']:.1f} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="folder of results")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release")
    parser.add_argument("--threads", type=int, default=min(2, os.cpu_count()))
    parser.add_argument("--blocks", type=int, default=1)
    parser.add_argument("--only", nargs="*", help="cases")
    arguments = parser.parse_args()
    python = make_environment(ENVIRONMENT, PACKAGES, "4.6 GB on disk, some minutes")
    environment = dict(os.environ, OMP_NUM_THREADS=str(arguments.threads),
                       MKL_NUM_THREADS=str(arguments.threads),
                       OPENBLAS_NUM_THREADS=str(arguments.threads))
    ours = Worker([build(arguments.build.resolve(), "lvtext_benchmarks"), "frechet"], environment)
    peer = Worker([python, HERE / "frechet_peer.py"], environment)
    results = {"schema": "lvtext.benchmarks.frechet.1", "date": time.strftime("%Y-%m-%d"),
               "machine": machine(), "threads": arguments.threads,
               "peer": [each for each in PACKAGES if each.startswith(("numpy", "scipy", "pytorch"))]}
    data = ROOT / "build" / "benchmarks-data-frechet"
    data.mkdir(parents=True, exist_ok=True)
    arguments.out.mkdir(parents=True, exist_ok=True)
    for name, *sizes in CASES:
        if arguments.only and name not in arguments.only:
            continue
        file = data / f"{name}.safetensors"
        if not file.exists():
            say(f"vectors into {file}")
            Worker([python, "-c", MAKE, file, *sizes], environment).close()
        results[name] = measure(name, file, ours, peer, arguments.blocks)
        (arguments.out / "frechet.json").write_text(json.dumps(results, indent=1) + "\n")
    ours.close(), peer.close()
    text = markdown(results)
    (arguments.out / "frechet.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
