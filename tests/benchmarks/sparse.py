#!/usr/bin/env python3
"""Benchmark of the entmax loss, of sampling, of several policies in one pass and of the head, in one run.

    tests/benchmarks/sparse.py --out docs/results/benchmarks [--trained RUN ...] [--blocks N]

README.md in this folder describes the comparison. Uses the environment and the executable of run.py
and the package entmax, which it installs beside, and the newest PyTorch in an environment of its own.
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

ENTMAX = "entmax==1.3"
NEWEST = ["torch==2.15.0", "numpy", "safetensors"]  # has torch.nn.functional.linear_cross_entropy
TOLERANCE = 1e-4  # relative: the package's losses in float32 are this inexact
ROWS, VOCABULARY, HIDDEN = 64, 50257, 256
HEAD_ROWS, HEAD_HIDDEN = 1024, 768
MAKE = """
import sys
import torch
from safetensors.torch import save_file
file, rows, vocabulary, hidden, deviation = sys.argv[1], *map(int, sys.argv[2:5]), float(sys.argv[5])
torch.manual_seed(1)
states = torch.randn(rows, hidden) * deviation
weight = torch.randn(vocabulary, hidden) / hidden ** 0.5
scores = states @ weight.T
# Targets as frequent as the model says, as those of a trained one.
save_file({"scores": scores, "targets": scores.softmax(1).multinomial(1).squeeze(1),
           "hidden": states, "weight": weight}, file)
"""
OF_RUN = """
import sys
import torch
from safetensors.torch import load_file, save_file
from transformers import GPT2LMHeadModel
file, folder, dataset, rows = *sys.argv[1:4], int(sys.argv[4])
columns = load_file(dataset)
blocks = columns["text"][:8 * int(columns["text.offsets"][1])].long().view(8, -1)
model = GPT2LMHeadModel.from_pretrained(folder).eval()
with torch.no_grad():
    states = model.transformer(blocks).last_hidden_state[:, :-1].flatten(0, 1)
    # Rows from the whole length of the blocks: the first tokens of a block are the hardest.
    chosen = torch.arange(rows) * (len(states) // rows)
    states, weight = states[chosen], model.lm_head.weight.contiguous()
    save_file({"scores": states @ weight.T, "targets": blocks[:, 1:].flatten()[chosen],
               "hidden": states, "weight": weight.clone()}, file)
"""
# Deviation of the scores, vocabulary, rows, hidden size.
FILES = [(3, VOCABULARY, ROWS, HIDDEN), (8, VOCABULARY, ROWS, HIDDEN), (3, 8192, ROWS, HIDDEN),
         (3, VOCABULARY, HEAD_ROWS, HEAD_HIDDEN)]
HEAD = 3  # the file of the head
TRAINED = len(FILES)  # files from this one on: scores of trained models
# Title, slower side and its task, faster side and its task, alpha, files, repeats, bar, aim.
PAIRS = [
    ("entmax kernel / our cross entropy", ("ours", "kernel"), ("ours", "kernel", 1), (1.2, 1.5),
     (0, 1), 5, "at most 2", "1"),
    ("EntmaxBisectLoss / ours", ("peer", "bisect"), ("ours", "loss"), (1.2,), (0, 1), 1,
     "at least 20", "100"),
    ("Entmax15Loss / ours", ("peer", "sort"), ("ours", "loss"), (1.5,), (0, 1), 2, "at least 2",
     "8"),
    ("PyTorch's cross entropy / our entmax loss", ("peer", "loss"), ("ours", "loss"), (1.2, 1.5),
     (0, 1), 3, "-", "-"),
    ("nucleus 0.9: sort, cumsum, multinomial / ours", ("peer", "nucleus"), ("ours", "nucleus"), (1,),
     (0, 1), 2, "at least 10", "-"),
    ("top 50: sort, multinomial / ours", ("peer", "top"), ("ours", "top"), (1,), (0, 1), 2,
     "at least 10", "-"),
    ("top 50: topk, multinomial / ours", ("peer", "fast_top"), ("ours", "top"), (1,), (0, 1), 2,
     "-", "-"),
    ("a pass with 19 policies / with the targets' probability alone", ("ours", "policies"), ("ours", "targets"), (1,),
     (0, 1, 2), 2, "at most 2", "1.5"),
    (f"head, {HEAD_ROWS} tokens of {HEAD_HIDDEN}: PyTorch's linear and cross entropy / ours", ("peer", "head"),
     ("ours", "head"), (1,), (HEAD,), 1, "-", "-"),
    (f"the same: linear_cross_entropy of {NEWEST[0]} / ours", ("newest", "fused_head"),
     ("ours", "head"), (1,), (HEAD,), 1, "-", "-"),
]
HEADS = [(("ours", "head"), ("peer", "head"), 1, ("value", "gradient", "table")),
         (("ours", "head"), ("newest", "fused_head"), 1, ("value", "gradient", "table"))]
COMPARED = [(("ours", "loss"), ("peer", "bisect"), 1.2, ("value", "gradient")),
            (("ours", "loss"), ("peer", "sort"), 1.5, ("value", "gradient")),
            (("ours", "loss"), ("peer", "loss"), 1, ("value", "gradient")),
            (("ours", "kernel"), ("peer", "bisect"), 1.2, ("value",)),
            (("ours", "nucleus_of"), ("peer", "nucleus_of"), 1, ("support", "squares")),
            (("ours", "top_of"), ("peer", "top_of"), 1, ("support", "squares")),
            (("ours", "policies"), ("ours", "targets"), 1, ("value",))]


def compare(workers, file, compared):
    """Returns the largest relative difference of the results of both sides."""
    largest = 0
    for left, right, alpha, fields in compared:
        a, b = (workers[side].ask(f"{file} {name} {alpha} 1") for side, name in (left, right))
        for field in fields:
            difference = abs(a[field] - b[field]) / abs(b[field])
            if difference > TOLERANCE:
                sys.exit(f"sparse.py: {left} and {right}, {field}: {a[field]} and {b[field]}")
            largest = max(largest, difference)
    return largest


def of_run(run, file, python, executable, environment):
    """Writes the scores of a finished training of gpt2 on its own text; returns what they are."""
    folder = file.with_suffix("")
    if not folder.exists():
        subprocess.run([executable, "checkpoint", "export", run, "--published", "--output", folder],
                       check=True)
    inputs = json.loads((run / "manifest.json").read_text())["inputs"]
    subprocess.run([python, "-c", OF_RUN, file, folder,
                    run.parent / inputs["train"] / "dataset.safetensors", str(ROWS)],
                   check=True, env=environment)
    shape = json.loads((folder / "config.json").read_text())
    return run.name.rsplit("-", 1)[0], shape["vocab_size"], ROWS, shape["n_embd"]


def measure(workers, files, kinds, blocks):
    results = []
    for title, slower, faster, alphas, chosen, count, bar, aim in PAIRS:
        for alpha in alphas:
            for index in (*chosen, *range(TRAINED, len(files) if HEAD not in chosen else 0)):
                deviation, vocabulary, *_ = kinds[index]
                say(f"{title}, alpha {alpha}, deviation {deviation}, V {vocabulary}")
                sides = []
                for side, name, *fixed in (slower, faster):
                    sides.append((workers[side], f"{files[index]} {name} {(fixed or [alpha])[0]} "
                                                 f"{count * (5 if side == 'ours' else 1)}"))
                answers = [[worker.ask(command) for worker, command in sides]
                           for _ in range(blocks)]
                result = {"title": title, "alpha": alpha, "deviation": deviation,
                          "vocabulary": vocabulary, "bar": bar, "aim": aim}
                for clock in ("seconds", "cpu"):
                    pairs = [a[clock] / b[clock] for a, b in answers]
                    slow, fast = (statistics.median(pair[k][clock] for pair in answers)
                                  for k in (0, 1))
                    result[clock] = {"slower": slow, "faster": fast, "ratio": slow / fast,
                                     "lowest": min(pairs), "highest": max(pairs)}
                results.append(result)
    return results


def markdown(results):
    here = results["machine"]
    lines = [
        "# Entmax and sampling", "",
        f"{here['cpu']}, {here['cpus']} CPUs, {results['threads']} threads each, load "
        f"{here['load']:.1f} at the start; {results['date']}; {', '.join(results['peer'])}. {ROWS} "
        f"rows unless stated; medians of {results['blocks']} alternating blocks, ratios of CPU time with the "
        "lowest and highest pair. The results of both sides were compared first; largest relative "
        f"difference {results['difference']:.1e}.", "",
        "| what | alpha | deviation, or the trained model | V | first, ms | second, ms | ratio (CPU time) | pairs | "
        "ratio (wall) | bar | aim |", "|---|---|---|---|---|---|---|---|---|---|---|"]
    for row in results["rows"]:
        cpu, wall = row["cpu"], row["seconds"]
        lines.append(f"| {row['title']} | {row['alpha']} | {row['deviation']} | {row['vocabulary']} "
                     f"| {1000 * cpu['slower']:.2f} | {1000 * cpu['faster']:.2f} | "
                     f"**{cpu['ratio']:.2f}** | {cpu['lowest']:.2f}-{cpu['highest']:.2f} | "
                     f"{wall['ratio']:.2f} | {row['bar']} | {row['aim']} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="folder of results")
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "release")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--blocks", type=int, default=5)
    parser.add_argument("--trained", type=Path, nargs="*", default=[],
                        help="folders of finished trainings of gpt2, whose scores are compared, too")
    arguments = parser.parse_args()

    python = make_environment(ENVIRONMENT, PACKAGES, "4.6 GB on disk, some minutes")
    package = ROOT / "build" / "benchmarks-entmax"
    if not package.exists():
        subprocess.run([python, "-m", "pip", "install", "-q", "--no-input", "--no-deps", "--target",
                        package, ENTMAX], check=True)
    environment = dict(os.environ, OMP_NUM_THREADS=str(arguments.threads),
                       MKL_NUM_THREADS=str(arguments.threads), PYTHONPATH=str(package))
    newest = make_environment(ROOT / "build" / "benchmarks-env-newest", NEWEST, "6 GB on disk, some minutes")
    workers = {"ours": Worker([build(arguments.build.resolve(), "lvtext_benchmarks"), "entmax"],
                              environment),
               "peer": Worker([python, HERE / "peer_sparse.py"], environment),
               "newest": Worker([newest, HERE / "peer_sparse.py"], environment)}
    folder = ROOT / "build" / "benchmarks-data-entmax"
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / ("-".join(map(str, shape)) + ".safetensors") for shape in FILES]
    for file, (deviation, vocabulary, rows, hidden) in zip(files, FILES):
        if not file.exists():
            subprocess.run([python, "-c", MAKE, *map(str, (file, rows, vocabulary, hidden,
                                                          deviation))], check=True)
    kinds = list(FILES)
    for run in arguments.trained:
        files.append(folder / (run.name + ".safetensors"))
        kinds.append(of_run(run.resolve(), files[-1], python,
                            arguments.build.resolve() / "lvtext", environment))
    results = {"schema": "lvtext.benchmarks.sparse.1", "date": time.strftime("%Y-%m-%d"),
               "machine": machine(), "threads": arguments.threads, "blocks": arguments.blocks,
               "peer": [PACKAGES[0], ENTMAX, NEWEST[0]]}
    results["difference"] = max(compare(workers, file, HEADS if index == HEAD else COMPARED)
                                for index, file in enumerate(files))
    results["rows"] = measure(workers, files, kinds, arguments.blocks)
    for worker in workers.values():
        worker.close()
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / "sparse.json").write_text(json.dumps(results, indent=1) + "\n")
    text = markdown(results)
    (arguments.out / "sparse.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
