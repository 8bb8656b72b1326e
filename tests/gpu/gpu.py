#!/usr/bin/env python3
"""Tests lvtext on the CUDA GPU of this machine. usage: gpu.py [options] BUILD RECIPES REPORT

- contract: the tests of all registered models (tests/contract), in fp32 and bf16
- recipes: the smoke profile of each recipe on the GPU, twice, and on the CPU, with train.deterministic.
  Both runs on the GPU must end with the same bytes; the losses of the first update must be near those
  of the CPU. Later they differ by more: training amplifies the order of sums.
- failures: no GPU is visible, too little memory of the GPU

Writes REPORT.json, and REPORT.md with a line for each test; exit code 1 if one failed or has not ended, 77 without a GPU.
"""

import argparse
import concurrent.futures
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time

PARSER = argparse.ArgumentParser()
PARSER.add_argument("--jobs", type=int, default=1, help="tests at a time")
PARSER.add_argument("--seconds", type=float, default=3600, help="tests that have not ended then are not counted")
PARSER.add_argument("--only", default="contract,recipes,failures")
PARSER.add_argument("--device", default="cuda", help="cpu: tries this program")
PARSER.add_argument("build", type=pathlib.Path)
PARSER.add_argument("recipes", type=pathlib.Path)
PARSER.add_argument("report", type=pathlib.Path)
FLAGS = PARSER.parse_args()
LVTEXT, CONTRACT = (FLAGS.build / name for name in ("lvtext", "tests/test_contract"))
LVTEXT, CONTRACT, RECIPES = LVTEXT.resolve(), CONTRACT.resolve(), FLAGS.recipes.resolve()
END = time.monotonic() + FLAGS.seconds
REGISTERED = "contract: every registered model"
NEAR = 1e-3  # relative difference of a loss between devices


class Failed(Exception):
    """What did not hold."""


class Skipped(Exception):
    """Nothing is to be tested: fitted models are not trained."""


def run(command, folder, code=0, **environment):
    """Runs a command and returns its output; fails unless it ends with `code`."""
    left = END - time.monotonic()
    if left <= 0:
        raise TimeoutError
    environment = os.environ | {"OMP_NUM_THREADS": str(max(1, os.cpu_count() // FLAGS.jobs))} | environment
    try:
        done = subprocess.run([str(word) for word in command], cwd=folder, env=environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=left,
                              stdin=subprocess.DEVNULL, errors="replace")
    except subprocess.TimeoutExpired as error:
        raise TimeoutError from error
    if done.returncode != code:
        raise Failed(f"exit code {done.returncode}, not {code}\n{done.stdout[-6000:]}")
    return done.stdout


def contract(case, precision, model):
    escaped = re.sub(r"([,\[\]])", r"\\\1", case)
    only = {"LVTEXT_TEST_MODEL": model} if model else {}
    text = run([CONTRACT, escaped], RECIPES.parent, LVTEXT_TEST_DEVICE=FLAGS.device,
               LVTEXT_TEST_PRECISION=precision, **only)
    if model and "(1 assertion in 1 test case)" in text:
        raise Skipped


def first_losses(runs):
    """{training: {loss: value}} of the first updates. Evaluation models do not log theirs."""
    losses = {}
    for log in sorted(runs.glob("*/log.jsonl")):
        entry = json.loads(log.read_text().splitlines()[0])
        if "train" in entry and entry["step"] == 1:
            losses[log.parent.name.rpartition("-")[0]] = entry["train"]
    return losses


def tensors(runs):
    """{path: bytes} of the files with tensors and logs, which a repetition must give again."""
    files = [file for file in sorted(runs.rglob("*")) if file.suffix in (".safetensors", ".jsonl", ".txt")
             and file.name != "timing.jsonl" and "checkpoints" not in file.parts]
    return {str(file.relative_to(runs)): file.read_bytes() for file in files}


def recipe(path, folder):
    for name, device in (("one", FLAGS.device), ("two", FLAGS.device), ("cpu", "cpu")):
        (folder / name).mkdir()
        run([LVTEXT, "reproduce", path, "--profile", "smoke", "--workers", "1", f"train.device={device}",
             "train.deterministic=true", "train.log_every=1u"], folder / name)
    one, two = (tensors(folder / name / "runs") for name in ("one", "two"))
    different = sorted(name for name in one.keys() | two.keys() if one.get(name) != two.get(name))
    ours, theirs = (first_losses(folder / name / "runs") for name in ("one", "cpu"))
    pairs = [(f"{name} {key}", ours[name][key], theirs[name][key]) for name in ours for key in ours[name]]
    far = [f"{name}: {gpu} on the GPU, {cpu} on the CPU" for name, gpu, cpu in pairs
           if not math.isclose(gpu, cpu, rel_tol=NEAR, abs_tol=1e-6)]
    if different or far:
        raise Failed("\n".join([f"differs between two runs: {name}" for name in different] + far))
    most = max((abs(gpu / cpu - 1) for _, gpu, cpu in pairs if abs(cpu) > 1e-6), default=0)
    return (f"{len(one)} files of two runs equal; {len(pairs)} losses of {len(ours)} trainings differ by at most "
            f"{most:.1e} from the CPU's")


def no_gpu(folder):
    text = run([LVTEXT, "reproduce", RECIPES / "quickstart/quickstart.yaml", "--profile", "smoke",
                "train.device=cuda"], folder, code=69, CUDA_VISIBLE_DEVICES="")
    if "no CUDA device is visible" not in text:
        raise Failed(text)


def no_memory(folder):
    text = run([LVTEXT, "reproduce", RECIPES / "quickstart/quickstart.yaml", "--profile", "smoke", "--workers", "1",
                "train.device=cuda"], folder, code=1, PYTORCH_CUDA_ALLOC_CONF="per_process_memory_fraction:0.00001")
    if "vae failed: out of memory" not in text:
        raise Failed(text)


def tests(folder):
    """{name: function that tests}"""
    chosen = FLAGS.only.split(",")
    found = {}
    if "contract" in chosen:
        # Catch2's exit code is the number of cases.
        listed = subprocess.run([CONTRACT, "--list-test-names-only", "~[long]~[peer]"], cwd=RECIPES.parent,
                                stdout=subprocess.PIPE, text=True).stdout.splitlines()
        models = json.loads(run([LVTEXT, "list", "models", "--json"], RECIPES.parent))
        cases = [(case, "") for case in listed if case != REGISTERED]
        cases += [(REGISTERED, each["name"]) for each in models["entries"]]
        for precision in ("fp32", "bf16"):
            for case, model in cases:
                found[f"{precision}, {model or case}"] = \
                    lambda case=case, precision=precision, model=model: contract(case, precision, model)
    if "recipes" in chosen:
        for path in sorted(RECIPES.glob("*/*.yaml")):
            name = str(path.relative_to(RECIPES).with_suffix(""))
            place = folder / name.replace("/", "-")
            place.mkdir()
            found[f"recipe {name}"] = lambda path=path, place=place: recipe(path, place)
    if "failures" in chosen and FLAGS.device == "cuda":
        for name, test in (("no GPU", no_gpu), ("no memory", no_memory)):
            place = folder / name.replace(" ", "-")
            place.mkdir()
            found[name] = lambda test=test, place=place: test(place)
    return found


def outcome(test):
    begin = time.monotonic()
    try:
        state, text = "passed", test() or ""
    except Failed as error:
        state, text = "failed", str(error)
    except (Skipped, TimeoutError) as error:
        state, text = "skipped" if isinstance(error, Skipped) else "not ended", ""
    except Exception as error:  # the other results are worth reporting
        state, text = "failed", repr(error)
    return {"state": state, "seconds": round(time.monotonic() - begin, 1), "text": text}


def machine():
    asked = ["nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"]
    gpu = subprocess.run(asked, stdout=subprocess.PIPE, text=True, check=True).stdout.strip() \
        if FLAGS.device == "cuda" else "none"
    doctor = json.loads(run([LVTEXT, "doctor", "--json"], RECIPES.parent))
    return {"gpu": gpu, "lvtext": doctor["lvtext"], "CUDA": doctor["CUDA"], "threads": doctor["threads"]}


def main():
    found = subprocess.run("nvidia-smi", shell=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    if FLAGS.device == "cuda" and found.returncode != 0:
        print("no GPU: nvidia-smi is not installed or fails")
        return 77
    place = machine()
    print(json.dumps(place, indent=1), flush=True)
    results = {}
    with tempfile.TemporaryDirectory(prefix="lvtext-gpu-", ignore_cleanup_errors=True) as scratch, \
            concurrent.futures.ThreadPoolExecutor(FLAGS.jobs) as pool:
        folder = pathlib.Path(scratch)
        waiting = {pool.submit(outcome, test): name for name, test in tests(folder).items()}
        for future in concurrent.futures.as_completed(waiting):
            result = results[waiting[future]] = future.result()
            print(f"{result['state']} {waiting[future]}: {result['seconds']} s", flush=True)
            if result["state"] == "failed":
                print(result["text"][-600:], flush=True)
    counts = {state: sum(each["state"] == state for each in results.values())
              for state in ("passed", "failed", "skipped", "not ended")}
    FLAGS.report.with_suffix(".json").write_text(json.dumps({"machine": place, "tests": results}, indent=1) + "\n")
    lines = ["# Tests on a GPU", "", "Written by tests/gpu/gpu.py.", ""]
    lines += [f"- {name}: {value}" for name, value in place.items()]
    lines += ["- " + ", ".join(f"{count} {state}" for state, count in counts.items()), "",
              "| test | result | seconds |", "|---|---|---|"]
    for name in sorted(results):
        result = results[name]
        first = f": {result['text'].splitlines()[0]}" if result["text"] else ""
        lines.append(f"| {name} | {result['state']}{first} | {result['seconds']} |")
    FLAGS.report.with_suffix(".md").write_text("\n".join(lines) + "\n")
    print(", ".join(f"{count} {state}" for state, count in counts.items()))
    return 1 if counts["failed"] or counts["not ended"] else 0


if __name__ == "__main__":
    sys.exit(main())
