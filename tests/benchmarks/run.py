#!/usr/bin/env python3
"""Benchmarks of lvtext against plain PyTorch, alternating in one run.

    tests/benchmarks/run.py --out docs/results/benchmarks [--mirror FOLDER] [--build FOLDER]

On the first run, creates the peer's Python environment (build/benchmarks-env), builds the
executable lvtext_benchmarks and prepares the data. README.md in this folder describes the
measurements.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
ENVIRONMENT = ROOT / "build" / "benchmarks-env"
PACKAGES = ["torch==2.11.0", "numpy==2.4.6", "safetensors==0.8.0", "scipy==1.17.1",
            "torchvision==0.26.0", "pytorch-fid==0.3.0", "transformers==5.24.0"]
GIVEN_STEPS = 20  # on the same batches, before losses are compared again
LOSS_TOLERANCE = {"fp32": 1e-4, "bf16": 1e-2}
EQUAL_SENTENCES = 0.995


def say(text):
    print(f"==> {text}", file=sys.stderr, flush=True)


def make_environment(folder, packages, size):
    """Returns a peer's Python. The project's .lvtext-env lacks dependencies of `import torch`."""
    python = folder / "bin" / "python"
    stamp = folder / "complete"
    if not stamp.exists() or stamp.read_text() != "\n".join(packages):
        say(f"peer: {packages[0]} into {folder.relative_to(ROOT)} ({size})")
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "--no-input", *packages], check=True)
        stamp.write_text("\n".join(packages))
    return python


def build(folder, target):
    if not (folder / "CMakeCache.txt").exists():
        sys.exit(f"'{folder}' is not a build folder: run ./scripts/build.sh or set --build")
    subprocess.run(["cmake", "--build", folder, "--target", target], check=True,
                   stdout=subprocess.DEVNULL)
    return folder / "tests" / "benchmarks" / target


class Worker:
    """A process that answers each command with a JSON line."""

    def __init__(self, command, environment):
        self.process = subprocess.Popen([str(part) for part in command], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, env=environment)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.answer()

    def answer(self):
        answer = self.process.stdout.readline()
        if not answer:
            raise RuntimeError(f"{self.process.args} exited without an answer")
        return json.loads(answer)

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Bench:
    def __init__(self, arguments, python, executable, data):
        self.ours = [executable]
        self.peer = [python, HERE / "peer.py"]
        self.data, self.blocks, self.steps = data, arguments.blocks, arguments.steps
        self.environment = dict(os.environ, OMP_NUM_THREADS=str(arguments.threads),
                                MKL_NUM_THREADS=str(arguments.threads))

    def pair(self, ours, peer):
        return (Worker([*self.ours, *ours], self.environment),
                Worker([*self.peer, *peer], self.environment))

    def alternate(self, workers, commands, unit):
        """Runs blocks of both sides alternately; returns units per second of wall and CPU time."""
        rates = {"wall": ([], []), "cpu": ([], [])}
        answers = []
        for command in commands:
            both = [worker.ask(command) for worker in workers]
            for side, answer in enumerate(both):
                rates["wall"][side].append(answer[unit] / answer["seconds"])
                rates["cpu"][side].append(answer[unit] / answer["cpu"])
            answers.append(both)
        return rates, answers

    def training(self, corpus, how, precision="fp32"):
        ours, peer = self.pair(["train", self.data, corpus, precision],
                               ["train", self.data, corpus, how, precision])
        losses = []
        for steps in (0, GIVEN_STEPS):
            if steps:
                ours.ask(f"steps {steps}"), peer.ask(f"steps {steps}")
            a, b = ours.ask("loss")["loss"], peer.ask("loss")["loss"]
            losses.append({"steps": steps, "ours": a, "peer": b, "difference": abs(a - b) / abs(b)})
            if losses[-1]["difference"] > LOSS_TOLERANCE[precision]:
                sys.exit(f"run.py: after {steps} steps the losses differ: {a} and {b}")
        rates, _ = self.alternate((ours, peer), [f"steps {self.steps}"] * self.blocks, "tokens")
        ours.close(), peer.close()
        return summary(rates, "target tokens/s") | {"losses": losses}

    def precisions(self, corpus):
        """Compares our training in bf16 (as `ours`) with our training in fp32 (as `peer`)."""
        workers = [Worker([*self.ours, "train", self.data, corpus, precision], self.environment)
                   for precision in ("bf16", "fp32")]
        for worker in workers:
            worker.ask(f"steps {GIVEN_STEPS}")
        rates, _ = self.alternate(workers, [f"steps {self.steps}"] * self.blocks, "tokens")
        for worker in workers:
            worker.close()
        return summary(rates, "target tokens/s")

    def decoding(self, lengths):
        workers = self.pair(["decode", self.data, lengths], ["decode", self.data, lengths])
        for worker in workers:
            worker.ask("decode 0 64")  # warm
        count = 10000 // self.blocks
        commands = [f"decode {i * count} {count}" for i in range(self.blocks)]
        rates, answers = self.alternate(workers, commands, "sentences")
        for worker in workers:
            worker.close()
        pairs = [pair for a, b in answers for pair in zip(a["ids"], b["ids"], strict=True)]
        equal = sum(a == b for a, b in pairs) / len(pairs)
        if equal < EQUAL_SENTENCES:
            sys.exit(f"run.py: only {equal:.2%} of the decoded sentences are equal")
        used = [len({ids[t] for ids, _ in pairs[:512] if len(ids) > t}) for t in (1, 5)]
        return summary(rates, "sentences/s") | {
            "equal_sentences": equal, "mean_length": statistics.mean(len(a) for a, _ in pairs),
            "distinct_words_of_512_at_positions_1_and_5": used}

    def start(self):
        rates = {"wall": ([], []), "cpu": ([], [])}
        for _ in range(self.blocks):
            for side, command in enumerate((self.ours, self.peer)):
                before, cpu = time.monotonic(), os.times()
                subprocess.run([str(part) for part in [*command, "start", self.data]], check=True,
                               stdout=subprocess.DEVNULL, env=self.environment)
                used = os.times()
                rates["wall"][side].append(1 / (time.monotonic() - before))
                rates["cpu"][side].append(1 / (used.children_user + used.children_system
                                               - cpu.children_user - cpu.children_system))
        return summary(rates, "starts/s")

    def memory(self):
        result = {}
        for side, command in (("ours", [*self.ours, "train", self.data, "fixed", "fp32"]),
                              ("peer", [*self.peer, "train", self.data, "fixed", "random", "fp32"])):
            worker = Worker(command, self.environment)
            worker.ask("steps 6")
            result[side] = worker.ask("memory")
            worker.close()
        grown = {side: figures["peak"] - figures["before"] for side, figures in result.items()}
        return result | {"ratio": grown["ours"] / grown["peer"],
                         "ratio_of_whole": result["ours"]["peak"] / result["peer"]["peak"]}


def summary(rates, unit):
    """Returns the medians of both sides, their ratio, and the range of the ratios of pairs."""
    result = {"unit": unit}
    for clock, (ours, peer) in rates.items():
        ratios = sorted(a / b for a, b in zip(ours, peer))
        result[clock] = {"ours": statistics.median(ours), "peer": statistics.median(peer),
                         "ratio": statistics.median(ours) / statistics.median(peer),
                         "lowest": ratios[0], "highest": ratios[-1],
                         "ours_blocks": ours, "peer_blocks": peer}
    return result


def machine():
    model = platform.processor()
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.split(":", 1)[1].strip()
            break
    return {"cpu": model, "cpus": os.cpu_count(), "load": os.getloadavg()[0],
            "system": platform.platform()}


def bf16_support(executable):
    """Returns how lvtext multiplies bfloat16 matrices on this CPU: {amx, fast, reason}."""
    return json.loads(subprocess.run([executable, "bf16"], check=True, capture_output=True).stdout)


BF16 = ("train_bf16", "train_bf16_fp32")  # where bf16 is slow, measured only if --only names them
BF16_BARS = {True: ((1.3, 2.5), (1.8, 3.5)),  # floor and aim of each, with AMX
             False: ((1.1, None), (1.5, None))}  # with avx512_bf16
ROWS = [  # key, title, floor, aim
    ("train_fixed", "training, B 64, T 20", 1.1, 1.4),
    ("train_real", "training, real lengths, vs. random batches", 1.5, 2.2),
    ("train_real_sorted", "training, real lengths, vs. sorted batches", None, 1.3),
    ("train_bf16", "training in bf16, B 64, T 20, vs. autocast", None, None),  # BF16_BARS
    ("train_bf16_fp32", "training in bf16, B 64, T 20, vs. our fp32", None, None),
    ("decode_fixed", "greedy decoding, 20 tokens each, batch 512", 1.1, 1.3),
    ("decode_real", "greedy decoding, real lengths, batch 512", 1.5, 3.0),
    ("start", "start to first training step", 2.0, None),
]


def markdown(results):
    data, here = results["data"], results["machine"]
    lines = [
        "# Benchmarks against PyTorch 2.11", "",
        f"{here['cpu']}, {here['cpus']} CPUs, {results['threads']} threads each, load "
        f"{here['load']:.1f} at the start; {results['date']}; data: {data['set']}, "
        f"{data['sentences']} sentences, {data['mean_length']:.1f} tokens on average, at most "
        f"{data['longest']}. Ratios above 1 mean that lvtext is faster: ratio of medians of "
        f"{results['blocks']} alternating blocks, with the lowest and highest pair.", "",
        "| what | ours | PyTorch | unit | ratio (wall) | pairs | ratio (CPU time) | floor | aim |",
        "|---|---|---|---|---|---|---|---|---|"]
    for key, title, floor, aim in ROWS:
        if key not in results:
            continue
        if key in BF16 and results["bf16"]["fast"]:
            floor, aim = BF16_BARS[results["bf16"]["amx"]][BF16.index(key)]
        row = results[key]
        wall, cpu = row["wall"], row["cpu"]
        lines.append(f"| {title} | {wall['ours']:.4g} | {wall['peer']:.4g} | {row['unit']} | "
                     f"**{wall['ratio']:.2f}** | {wall['lowest']:.2f}-{wall['highest']:.2f} | "
                     f"{cpu['ratio']:.2f} | {floor or '-'} | {aim or '-'} |")
    if "memory" in results:
        row = results["memory"]
        ours, peer = (row[side]["peak"] - row[side]["before"] for side in ("ours", "peer"))
        lines.append(f"| peak memory of training, minus that before the model | {ours:.0f} | "
                     f"{peer:.0f} | MiB | **{row['ratio']:.2f}** | - | - | at most 0.6 | 0.4 |")
        lines += ["", f"Peak of the whole process: {row['ours']['peak']:.0f} MiB, "
                      f"{row['peer']['peak']:.0f} MiB."]
    if "train_bf16" in results:
        lines += ["", f"bf16 on this CPU: {results['bf16']['reason']}."]
    for key in ("train_fixed", "train_real", "train_bf16"):
        for loss in results.get(key, {}).get("losses", []):
            lines.append(f"Loss of 2,000 held-out sentences, {key}, after {loss['steps']} steps: "
                         f"{loss['ours']:.6f} and {loss['peer']:.6f} "
                         f"({loss['difference']:.1e} apart).")
    for key in ("decode_fixed", "decode_real"):
        if key in results:
            lines.append(f"{key}: {results[key]['equal_sentences']:.2%} of the sentences are equal, "
                         f"{results[key]['mean_length']:.1f} words on average.")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="folder of results")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release")
    parser.add_argument("--mirror", default=os.environ.get("LVTEXT_DATA_MIRROR", ""),
                        help="data folder with sentence-compression/; without it the embedded grammar")
    parser.add_argument("--threads", type=int, default=min(2, os.cpu_count()))
    parser.add_argument("--blocks", type=int, default=5)
    parser.add_argument("--steps", type=int, default=8, help="training steps per block")
    parser.add_argument("--only", nargs="*", help="keys of results")
    arguments = parser.parse_args()

    python = make_environment(ENVIRONMENT, PACKAGES, "4.6 GB on disk, some minutes")
    executable = build(arguments.build.resolve(), "lvtext_benchmarks")
    data = ROOT / "build" / ("benchmarks-data" if arguments.mirror else "benchmarks-data-embedded")
    if not (data / "data.json").exists():
        say(f"data into {data}")
        subprocess.run([executable, "prepare", data, arguments.mirror], check=True, cwd=ROOT,
                       stdout=subprocess.DEVNULL)
    bench = Bench(arguments, python, executable, data)
    results = {"schema": "lvtext.benchmarks.1", "date": time.strftime("%Y-%m-%d"),
               "machine": machine(), "threads": arguments.threads, "blocks": arguments.blocks,
               "data": json.loads((data / "data.json").read_text()), "peer": PACKAGES,
               "bf16": bf16_support(executable)}
    tasks = {"train_fixed": lambda: bench.training("fixed", "random"),
             "train_real": lambda: bench.training("real", "random"),
             "train_real_sorted": lambda: bench.training("real", "sorted"),
             "train_bf16": lambda: bench.training("fixed", "random", "bf16"),
             "train_bf16_fp32": lambda: bench.precisions("fixed"),
             "decode_fixed": lambda: bench.decoding("fixed"),
             "decode_real": lambda: bench.decoding("real"),
             "start": bench.start, "memory": bench.memory}
    arguments.out.mkdir(parents=True, exist_ok=True)
    for key, task in tasks.items():
        wanted = key in arguments.only if arguments.only else (
            key not in BF16 or results["bf16"]["fast"])
        if not wanted:
            continue
        say(key)
        results[key] = task()
        (arguments.out / "benchmarks.json").write_text(json.dumps(results, indent=1) + "\n")
    text = markdown(results)
    (arguments.out / "benchmarks.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
