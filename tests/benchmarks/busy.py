#!/usr/bin/env python3
"""Training beside other processes: how waiting threads spin or sleep.

    tests/benchmarks/busy.py [LVTEXT] [--busy 0 4] [--rounds 3] [--updates 250] [--threads 2]

Trains the quick start's VAE with three settings in turn: `default` (the program measures the load
and adapts), `spin` (KMP_BLOCKTIME=200, the default of LLVM's OpenMP) and `sleep`
(OMP_WAIT_POLICY=passive), alone and beside busy processes. Prints the median time of the training
and the ratio to the better setting. Fails if weights differ: settings must not change results.
"""

import argparse
import hashlib
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SETTINGS = {"default": {}, "spin": {"KMP_BLOCKTIME": "200"}, "sleep": {"OMP_WAIT_POLICY": "passive"}}


def train(program, runs, updates, environment):
    """Trains once; returns the seconds of the training and a hash of its weights."""
    for folder in runs.glob("quickstart.vae.*"):
        shutil.rmtree(folder)
    subprocess.run([program, "train", "quickstart/quickstart", "--rows", "vae", "--out", runs, "-q",
                    "--workers", "1", f"train.stop={updates}u", "train.device=cpu"],
                   check=True, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)
    folder, = runs.glob("quickstart.vae.*")
    checkpoint, = folder.glob("checkpoints/step-*")
    weights = b"".join(path.read_bytes() for path in sorted(checkpoint.glob("*.safetensors")))
    state = json.loads((checkpoint / "state.json").read_text())
    return state["seconds"], hashlib.sha256(weights).hexdigest()


def measure(program, busy, arguments, runs, base):
    hogs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(busy)]
    times, digests = {name: [] for name in SETTINGS}, set()
    try:
        for _ in range(arguments.rounds):
            for name, more in SETTINGS.items():
                seconds, digest = train(program, runs, arguments.updates, base | more)
                times[name].append(seconds)
                digests.add(digest)
    finally:
        for hog in hogs:
            hog.kill()
            hog.wait()
    if len(digests) != 1:
        sys.exit("busy.py: the settings gave different weights")
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", nargs="?", type=Path, default=ROOT / "build/release/lvtext")
    parser.add_argument("--busy", nargs="*", type=int, default=[0, 4], help="busy processes")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--updates", type=int, default=250)
    parser.add_argument("--threads", type=int, default=min(2, os.cpu_count()))
    arguments = parser.parse_args()
    base = {name: value for name, value in os.environ.items()
            if name not in ("KMP_BLOCKTIME", "OMP_WAIT_POLICY")}
    base |= {"OMP_NUM_THREADS": str(arguments.threads), "MKL_NUM_THREADS": str(arguments.threads)}
    program = arguments.program.resolve()
    with tempfile.TemporaryDirectory() as folder:
        runs = Path(folder)
        train(program, runs, 2, base)  # prepares the data
        print(f"{os.cpu_count()} CPUs, {arguments.threads} threads, load {os.getloadavg()[0]:.1f} "
              f"at the start; seconds of {arguments.updates} updates, median of "
              f"{arguments.rounds} (lowest-highest)")
        print("| busy processes | default | spin | sleep | default / spin (bar 1.03 alone) | "
              "default / sleep (bar 1.2 beside 4) |")
        print("|---|---|---|---|---|---|")
        for busy in arguments.busy:
            times = measure(program, busy, arguments, runs, base)
            middle = {name: statistics.median(values) for name, values in times.items()}
            cells = [f"{middle[name]:.2f} ({min(values):.2f}-{max(values):.2f})"
                     for name, values in times.items()]
            print(f"| {busy} | {' | '.join(cells)} | {middle['default'] / middle['spin']:.2f} | "
                  f"{middle['default'] / middle['sleep']:.2f} |", flush=True)


if __name__ == "__main__":
    main()
