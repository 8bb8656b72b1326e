#!/usr/bin/env python3
"""GPT-2 against Hugging Face's GPT2LMHeadModel: equal scores, then speed and memory.

    tests/benchmarks/gpt2.py --out docs/results/benchmarks [--only scores train ...] [--trained RUN]

Uses the peer's environment of run.py and builds lvtext_benchmarks. README.md in this folder
describes the measurements.
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

SHAPES = {"tiny": (2, 2, 64, 128, 500), "mini": (6, 8, 256, 256, 8192),
          "small": (12, 12, 768, 1024, 50257)}  # layers, heads, width, positions, vocabulary
SCORE_TOLERANCE, LOSS_TOLERANCE = 1e-5, 1e-4
STEPS_COMPARED = 3
SQUARE = "attn.c_proj"  # the only transpose that shapes do not reveal
ROWS = [  # key, title, floor, aim
    ("train", "training step, GPT-2 small, B 4, T 64", 1.3, 2.4),
    ("generate_1", "nucleus 0.9, GPT-2 small, 1 text", 1.5, 5),
    ("generate_16", "nucleus 0.9, GPT-2 small, 16 texts", 3, 7),
    ("entmax_1.5", "training step of a trained model, entmax 1.5 vs. its own NLL", 0.95, 1.1),
    ("entmax_1.2", "training step of a trained model, entmax 1.2 vs. its own NLL", 0.95, 1.1),
]


def options(shape, loss="{type: nll}"):
    layers, heads, width, positions, _ = shape
    return (f"{{layers: {layers}, heads: {heads}, width: {width}, positions: {positions}, "
            "embedding_dropout: 0, attention_dropout: 0, residual_dropout: 0, "
            f"loss: {loss}}}")


class Bench:
    def __init__(self, arguments, python, executable, data):
        self.python, self.executable, self.data = python, executable, data
        self.blocks, self.steps, self.tokens = arguments.blocks, arguments.steps, arguments.tokens
        self.environment = dict(os.environ, OMP_NUM_THREADS=str(arguments.threads),
                                MKL_NUM_THREADS=str(arguments.threads), HF_HUB_OFFLINE="1",
                                TOKENIZERS_PARALLELISM="false")

    def peer(self, *arguments):
        result = subprocess.run([self.python, HERE / "peer_gpt2.py", *map(str, arguments)],
                                check=True, capture_output=True, text=True, env=self.environment)
        return json.loads(result.stdout) if result.stdout else {}

    def prepared(self, name, batch=4, length=64):
        folder = self.data / f"{name}-{batch}-{length}"
        if not (folder / "texts.safetensors").exists():
            self.peer("prepare", folder, *SHAPES[name], batch, length)
        return folder

    def ours(self, folder, shape, loss="{type: nll}"):
        return Worker([self.executable, "gpt2", folder, options(shape, loss)], self.environment)

    def theirs(self, folder):
        return Worker([self.python, HERE / "peer_gpt2.py", "serve", folder], self.environment)

    def difference(self, folder, shape):
        worker = self.ours(folder, shape)
        worker.ask("scores")
        worker.close()
        return self.peer("compare", folder)

    def scores(self):
        """Compares the scores of three sizes; a missing transpose must be noticed."""
        result = {}
        for name, shape in SHAPES.items():
            folder = self.prepared(name)
            self.peer("weights", folder)
            result[name] = self.difference(folder, shape)
            if result[name]["difference"] > SCORE_TOLERANCE:
                sys.exit(f"gpt2.py: scores of size {name} differ by {result[name]['difference']}")
        folder = self.prepared("tiny")
        self.peer("weights", folder, SQUARE)
        wrong = self.difference(folder, SHAPES["tiny"])["difference"]
        self.peer("weights", folder)
        if wrong < 100 * SCORE_TOLERANCE:
            sys.exit(f"gpt2.py: without the transpose of {SQUARE} scores differ by {wrong} only")
        return result | {"without_transpose": wrong}

    def alternate(self, workers, command):
        rates = {"wall": ([], []), "cpu": ([], [])}
        for _ in range(self.blocks):
            for side, worker in enumerate(workers):
                answer = worker.ask(command)
                rates["wall"][side].append(answer["tokens"] / answer["seconds"])
                rates["cpu"][side].append(answer["tokens"] / answer["cpu"])
        return summary(rates, "tokens/s")

    def train(self):
        folder = self.prepared("small")
        workers = [self.ours(folder, SHAPES["small"]), self.theirs(folder)]
        ours = workers[0].ask(f"steps {STEPS_COMPARED}")["log"]["train"]["lm/nll"]
        theirs = workers[1].ask(f"steps {STEPS_COMPARED}")["loss"]
        difference = abs(ours - theirs) / theirs
        if difference > LOSS_TOLERANCE:
            sys.exit(f"gpt2.py: after {STEPS_COMPARED} steps the losses are {ours} and {theirs}")
        result = self.alternate(workers, f"steps {self.steps}")
        for worker in workers:
            worker.close()
        return result | {"loss": {"ours": ours, "peer": theirs, "difference": difference}}

    def generate(self, rows):
        folder = self.prepared("small")
        workers = [self.ours(folder, SHAPES["small"]), self.theirs(folder)]
        for worker in workers:
            worker.ask(f"generate {rows} 4")  # warm
        result = self.alternate(workers, f"generate {rows} {self.tokens}")
        for worker in workers:
            worker.close()
        return result

    def memory(self):
        """Peak of a training step with B 8, T 512, less what the process has before the model."""
        folder = self.prepared("small", 8, 512)
        result = {}
        for side, worker in (("ours", self.ours(folder, SHAPES["small"])),
                             ("peer", self.theirs(folder))):
            worker.ask("steps 1")
            result[side] = worker.ask("memory")
            worker.close()
        grown = {side: figures["peak"] - figures["before"] for side, figures in result.items()}
        return result | {"ratio": grown["ours"] / grown["peer"]}

    def entmax(self, folder, shape, alpha):
        """Our own step with the entmax loss (as `ours`) and with NLL (as `peer`)."""
        workers = [self.ours(folder, shape, f"{{type: entmax, alpha: {alpha}}}"),
                   self.ours(folder, shape)]
        for worker in workers:
            worker.ask("steps 1")  # warm
        result = self.alternate(workers, f"steps {self.steps}")
        for worker in workers:
            worker.close()
        return result


def of_run(bench, run):
    """The folder of a finished training of gpt2 and of its first blocks, and its shape."""
    manifest = json.loads((run / "manifest.json").read_text())
    model = manifest["options"]["model"]
    layers, heads, width, positions, words = SHAPES[model["size"]]
    shape = (model.get("layers", layers), model.get("heads", heads), model.get("width", width),
             model.get("positions", positions), words)
    folder = bench.data / "trained"
    bench.peer("trained", folder, run, manifest["selected_step"] if "selected_step" in manifest
               else manifest["metadata"]["selected_step"], run.parent / manifest["inputs"]["train"])
    return folder, shape


def markdown(results):
    here = results["machine"]
    lines = [
        "# GPT-2 against transformers", "",
        f"{here['cpu']}, {here['cpus']} CPUs, {results['threads']} threads each, load "
        f"{here['load']:.1f} at the start; {results['date']}; {results['peer'][0]}, "
        f"{results['peer'][-1]}. Ratios above 1 mean that lvtext is faster: ratio of medians of "
        f"{results['blocks']} alternating blocks, with the lowest and highest pair. The rows of "
        "entmax compare lvtext with itself.", "",
        "| row | ours, tokens/s | peer, tokens/s | ratio (wall) | pairs | ratio (CPU time) | floor "
        "| aim |", "|---|---|---|---|---|---|---|---|"]
    for key, title, floor, aim in ROWS:
        if key not in results:
            continue
        wall, cpu = results[key]["wall"], results[key]["cpu"]
        lines.append(f"| {title} | {wall['ours']:.1f} | {wall['peer']:.1f} | "
                     f"**{wall['ratio']:.2f}** | {wall['lowest']:.2f}-{wall['highest']:.2f} | "
                     f"{cpu['ratio']:.2f} | {floor} | {aim} |")
    if "memory" in results:
        memory = results["memory"]
        lines += ["", f"Peak memory of a training step, GPT-2 small, B 8, T 512, less what the "
                  f"process has before the model: "
                  f"{memory['ours']['peak'] - memory['ours']['before']:.0f} MiB, transformers "
                  f"{memory['peer']['peak'] - memory['peer']['before']:.0f} MiB, ratio "
                  f"**{memory['ratio']:.2f}** (at most 0.5)."]
    if "scores" in results:
        each = ", ".join(f"{name} {result['difference']:.1e}"
                         for name, result in results["scores"].items() if name in SHAPES)
        lines += ["", f"Largest difference of scores with random weights: {each}; without the "
                  f"transpose of {SQUARE}: {results['scores']['without_transpose']:.1e}."]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="folder of results")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release")
    parser.add_argument("--threads", type=int, default=min(2, os.cpu_count()))
    parser.add_argument("--blocks", type=int, default=5)
    parser.add_argument("--steps", type=int, default=3, help="training steps per block")
    parser.add_argument("--tokens", type=int, default=64, help="length of a generated text")
    parser.add_argument("--only", nargs="*", help="rows: " + " ".join(
        ["scores", "memory", *(key for key, *_ in ROWS)]))
    parser.add_argument("--trained", type=Path,
                        help="folder of a finished training of gpt2, for the rows of entmax")
    arguments = parser.parse_args()

    python = make_environment(ENVIRONMENT, PACKAGES, "4.6 GB on disk, some minutes")
    executable = build(arguments.build.resolve(), "lvtext_benchmarks")
    bench = Bench(arguments, python, executable, ROOT / "build" / "benchmarks-gpt2")
    results = {"schema": "lvtext.gpt2_benchmark.1", "date": time.strftime("%Y-%m-%d"),
               "machine": machine(), "threads": arguments.threads, "blocks": arguments.blocks,
               "peer": PACKAGES}
    rows = {"scores": bench.scores, "train": bench.train, "memory": bench.memory,
            "generate_1": lambda: bench.generate(1), "generate_16": lambda: bench.generate(16)}
    if arguments.trained:
        folder, shape = of_run(bench, arguments.trained.resolve())
        for alpha in ("1.5", "1.2"):
            rows[f"entmax_{alpha}"] = lambda alpha=alpha: bench.entmax(folder, shape, alpha)
    for key, measure in rows.items():
        if arguments.only is None or key in arguments.only:
            say(key)
            results[key] = measure()
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "gpt2.json").write_text(json.dumps(results, indent=1) + "\n")
    text = markdown(results)
    (arguments.out / "gpt2.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
