#!/usr/bin/env python3
"""Tests `lvtext sweep` with real processes. usage: sweep.py [--long] [--only PARTS] LVTEXT SOURCE

PARTS are separated by commas: grid, papers, failures, halving, stages; with --long also slurm, kills, optuna.
"""

import argparse
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PARSER = argparse.ArgumentParser()
PARSER.add_argument("--long", action="store_true")
PARSER.add_argument("--only", default="", help="parts, separated by commas")
PARSER.add_argument("lvtext", type=pathlib.Path)
PARSER.add_argument("source", type=pathlib.Path)
FLAGS = PARSER.parse_args()
LVTEXT, SOURCE = FLAGS.lvtext.resolve(), FLAGS.source.resolve()
RECIPE = SOURCE / "tests/sweep/tiny.yaml"
GRID = f"""sweep: grid
recipe: {RECIPE}
rows: [lm]
seeds: 2
space:
  train.optimizers.default.lr: [1e-3, 1e-2]
  models.lm.embedding: [8, 16]
objective: {{validation: true}}
"""
# Twenty runs, long enough to be killed.
TWENTY = GRID.replace("[1e-3, 1e-2]", "[1e-3, 2e-3, 4e-3, 8e-3, 1e-2]\n  train.stop: [60u]")
HALVING = f"""sweep: halving
recipe: {RECIPE}
rows: [lm]
space: {{train.stop: [120u], train.optimizers.default.lr: {{range: [1e-4, 1e-1], log: true}}}}
search: {{type: halving, trials: 6, seed: 2, rungs: [30, 60], keep: 0.5}}
objective: {{validation: true}}
"""


def check(holds, what):
    if not holds:
        raise AssertionError(what)


class Place:
    """A working directory."""

    def __init__(self, folder):
        self.folder = folder
        folder.mkdir()
        self.environment = {name: value for name, value in os.environ.items()
                            if not name.startswith(("LVTEXT_", "SLURM_"))}
        self.environment |= {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "NO_COLOR": "1",
                             "CUDA_VISIBLE_DEVICES": "", "XDG_CACHE_HOME": str(folder.parent / "cache")}

    def write(self, name, text):
        (self.folder / name).write_text(text)

    def start(self, *arguments):
        with open(self.folder / "log.txt", "a") as log:
            return subprocess.Popen([LVTEXT, *map(str, arguments)], cwd=self.folder, env=self.environment,
                                    stdout=log, stderr=log)

    def lvtext(self, *arguments, code=0):
        done = subprocess.run([LVTEXT, *map(str, arguments)], cwd=self.folder, env=self.environment,
                              capture_output=True, text=True)
        if done.returncode != code:
            raise AssertionError(f"lvtext {' '.join(map(str, arguments))}: exit code {done.returncode}, "
                                 f"expected {code}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def status(self, sweep):
        done = subprocess.run([LVTEXT, "sweep", "status", sweep, "--json"], cwd=self.folder,
                              env=self.environment, stdout=subprocess.PIPE, check=True)
        return json.loads(done.stdout)

    def table(self, sweep):
        return (self.folder / f"reports/sweeps/{sweep}/table.csv").read_bytes()

    def logs(self):
        """The logs of all trainings by folder."""
        return {folder.name: (folder / "log.jsonl").read_bytes()
                for folder in (self.folder / "runs").glob("tests.lm*") if (folder / "log.jsonl").exists()}

    def processes(self):
        """The processes that run in this directory, with their arguments."""
        found = {}
        for entry in pathlib.Path("/proc").iterdir():
            try:
                if (entry / "cwd").samefile(self.folder):
                    found[int(entry.name)] = (entry / "cmdline").read_bytes().split(b"\0")
            except (OSError, ValueError):
                continue
        return found

    def workers(self):
        """The worker processes of commands in this directory."""
        return [process for process, words in self.processes().items() if b"--worker" in words]

    def log(self):
        """The output of started commands."""
        return (self.folder / "log.txt").read_text()

    def logged(self):
        """How much all trainings have logged."""
        return sum(file.stat().st_size for file in (self.folder / "runs").glob("tests.lm*/log.jsonl"))


def different(one, other):
    """Describes two tables that should be equal."""
    return f"another table:\n{one.decode()}\n{other.decode()}"


def test_grid(folder):
    """A grid over two seeds; what is finished is not computed again; mistakes; added trials."""
    place = Place(folder / "grid")
    place.write("grid.yaml", GRID)
    text = place.lvtext("sweep", "run", "grid.yaml", "--workers", "2")
    check("trial 4" in text and "validation objective" in text, text)
    report = place.folder / "reports/sweeps/grid"
    for name in ("table.csv", "parallel_coordinates.svg", "slices.csv", "index.html"):
        check((report / name).exists(), f"the report lacks {name}")
    first, logs = place.table("grid"), place.logs()
    check(len(logs) == 8, f"{len(logs)} trainings, expected 4 trials x 2 seeds")
    before = {name: os.stat(place.folder / "runs" / name / "manifest.json").st_mtime_ns for name in logs}
    place.lvtext("sweep", "run", "sweeps/grid", "--workers", "1")
    check(place.table("grid") == first, different(place.table("grid"), first))
    check(before == {name: os.stat(place.folder / "runs" / name / "manifest.json").st_mtime_ns
                     for name in place.logs()}, "computed again")
    status = place.status("sweeps/grid")
    check([each["state"] for each in status["trials"]] == ["finished"] * 4, status)
    # The results are ordinary runs of the recipe.
    best = min(status["trials"], key=lambda each: each["objective"])
    words = [f"{path}={value}" for path, value in best["setting"].items()]
    plan = place.lvtext("train", RECIPE, "--rows", "lm", "--seeds", "2", *words, "--dry-run")
    check("missing" not in plan, plan)

    text = place.lvtext("sweep", "add", "sweeps/grid", "train.optimizers.default.lr=3e-3", "models.lm.embedding=8")
    check("trial 5" in text, text)
    place.lvtext("sweep", "add", "sweeps/grid", "train.optimizers.default.lr=x", "models.lm.embedding=8", code=64)
    place.lvtext("sweep", "work", "sweeps/grid", "--trials", "1")
    check(place.status("sweeps/grid")["trials"][4]["state"] == "finished", "the added trial")

    place.write("wrong.yaml", GRID.replace("models.lm.embedding: [8, 16]", "models.lm.embeding: [8, 16]\n"
                                           "  train.batch.size: [16, x]\n  train.seed: {values: [1, -1]}"))
    text = place.lvtext("sweep", "run", "wrong.yaml", code=78)
    for part in ("wrong.yaml:7:3", "embeding", "did you mean 'embedding'", "wrong.yaml:8:26", "'train.batch.size'",
                 "wrong.yaml:9:28"):
        check(part in text, f"{part} is missing:\n{text}")
    check(text.count("embeding") <= 3, f"a wrong path is reported more than once:\n{text}")
    check(not (place.folder / "sweeps/wrong").exists(), "a wrong sweep has a folder")
    metric = GRID.replace("{validation: true}", "{metric: nll, mode: min}").replace("rows: [lm]", "rows: [ae]")
    metric = metric.replace("models.lm.embedding: [8, 16]", "models.ae.embedding: [8]").replace("grid", "metric")
    place.write("metric.yaml", metric.replace("seeds: 2", "seeds: 1"))
    text = place.lvtext("sweep", "run", "metric.yaml", code=78)
    check("reads the split `test`" in text and "allow_test" in text, text)
    check(not (place.folder / "sweeps/metric").exists(), "a refused sweep has a folder")


def test_papers(folder):
    """The sweeps of the papers fit their recipes and are found by name."""
    place = Place(folder / "papers")
    (place.folder / "recipes").symlink_to(SOURCE / "recipes")
    for file in sorted((SOURCE / "recipes").glob("*/sweeps/*.yaml")):
        sweep = str(file.relative_to(SOURCE / "recipes").with_suffix(""))
        states = {each["state"] for each in place.status(sweep)["trials"]}
        check(states == {"missing"}, f"{sweep}: {states}")


def test_failures(folder):
    """A trial that fails leaves the others; retry computes it again."""
    place = Place(folder / "failures")
    place.write("f.yaml", GRID.replace("sweep: grid", "sweep: failures").replace("seeds: 2", "seeds: 1")
                .replace("[1e-3, 1e-2]", "[1e-3, 1e30]\n  train.optimizers.default.weight_decay: [1e10]")
                .replace("[8, 16]", "[8]"))
    text = place.lvtext("sweep", "run", "f.yaml", "--workers", "1", code=1)
    check("trial 1" in text and "1 failed" not in place.lvtext("sweep", "status", "sweeps/failures"), text)
    states = [each["state"] for each in place.status("sweeps/failures")["trials"]]
    check(states == ["finished", "failed"], states)
    check(b"not finite" in place.table("failures"), place.table("failures"))
    text = place.lvtext("sweep", "run", "sweeps/failures", "--workers", "1", code=1)
    check("1 training of" not in text, f"a failed trial was computed again:\n{text}")
    check("lvtext sweep retry sweeps/failures" in text, text)
    text = place.lvtext("sweep", "retry", "sweeps/failures", "--workers", "1", code=1)
    check("1 training of" in text, text)

    # Trainings of 40 updates, validated every 5.
    place.write("h.yaml", HALVING.replace("sweep: halving", "sweep: early").replace("train.stop: [120u], ", "")
                .replace("rungs: [30, 60]", "rungs: [2]").replace("trials: 6", "trials: 2"))
    text = place.lvtext("sweep", "run", "h.yaml", "--workers", "1", code=78)
    check("no trial has a finite validation objective up to rung 2" in text, text)
    place.write("w.yaml", GRID.replace("sweep: grid", "sweep: wrong").replace("[lm]", "[ae]").replace(
        "  models.lm.embedding: [8, 16]", "  models.ae.latent.kind: [gauss_det, sphere]\n  models.ae.latent.noise: [0.1]"))
    text = place.lvtext("sweep", "run", "w.yaml", code=78)
    check("with models.ae.latent.noise=0.1:" in text, text)


# Two trials that share the language model of their metric.
SHARED = """sweep: shared
recipe: shared.yaml
rows: [lm]
space: {models.lm.embedding: [8, 16]}
objective: {metric: "reverse[0.01].perplexity", mode: min, allow_test: true}
"""
SHARED_METRICS = """
  reverse:
    over: rate
    evaluator: reverse_cross_entropy
    samples: 50
    inputs: {language_model: {embedding: 8, decoder: {hidden: 8}, train: {stop: 5u, optimizers: {default: {lr: $rate}}}}}
  length: {evaluator: probe, kind: length, inputs: {records: data}}
axes: {rate: [0.01]}"""
# Programs in place of those of Slurm, which queue tasks and run none. With a file `ends`, the next
# `squeue` is the last one that shows them.
QUEUE = """#!/usr/bin/env python3
import pathlib, sys
program = pathlib.Path(sys.argv[0])
file = program.with_name("queue.txt")
tasks = file.read_text().splitlines()
if program.name == "sbatch":
    job = len(list(program.parent.glob("job-*"))) + 1
    program.with_name(f"job-{job}").touch()
    array = next(each for each in sys.argv if each.startswith("--array="))
    for part in array[len("--array="):].split(","):
        first, _, last = part.partition("-")
        tasks += [f"{job}_{task} PD" for task in range(int(first), int(last or first) + 1)]
    print(job)
elif program.name == "scancel":
    tasks = [task for task in tasks if task.split("_")[0] not in sys.argv]
else:
    print("\\n".join(tasks))
    if program.with_name("ends").exists():
        tasks = []
file.write_text("\\n".join(tasks))
"""


def test_slurm(folder):
    """Jobs of a sweep: a training that trials share, what is canceled, and what --wait waits for."""
    place = Place(folder / "slurm")
    programs = place.folder / "bin"
    programs.mkdir()
    (programs / "queue.txt").touch()
    for name in ("sbatch", "squeue", "scancel"):
        (programs / name).write_text(QUEUE)
        (programs / name).chmod(0o755)
    place.environment["PATH"] = f"{programs}:{place.environment['PATH']}"

    def submit(sweep, *words, code=0):
        return place.lvtext("sweep", "run", sweep, "--executor", "slurm", *words, code=code)

    recipe = RECIPE.read_text().replace("\n  nll: {evaluator: reconstruction}", SHARED_METRICS)
    place.write("shared.yaml", recipe.replace("[nll]", '["reverse[*]", length]'))
    place.write("s.yaml", SHARED)
    submit("s.yaml", "--print")
    tasks, = place.folder.glob("slurm/sweep/shared-*/tasks.jsonl")
    count = len(tasks.read_text().splitlines()) - 1
    check(count == 5, f"{count} tasks: data, the shared training, two trials, the report")
    for task in range(1, count + 1):
        place.lvtext("sweep", "run", "sweeps/shared", "--task", f"{tasks}:{task}")
    states = [each["state"] for each in place.status("sweeps/shared")["trials"]]
    check(states == ["finished"] * 2, states)
    mistakes = [("reverse[0.01].perplexiti", "has no score 'perplexiti'; did you mean 'perplexity'"),
                ("reverse[0.02]", "'reverse[0.02]' is not a metric of the recipe"),
                ("length", "'length' reads the split `test`")]
    for metric, part in mistakes:
        place.write("m.yaml", SHARED.replace("sweep: shared", "sweep: mistakes").replace(", allow_test: true", "")
                    .replace("reverse[0.01].perplexity", metric).replace("rows: [lm]", "rows: [ae]")
                    .replace("models.lm", "models.ae"))
        text = place.lvtext("sweep", "status", "m.yaml", code=78)
        check(part in text, f"{part} is missing:\n{text}")

    def run_tasks(pattern, *words):
        """Runs the tasks of the only submission of this pattern as its jobs would."""
        tasks, = place.folder.glob(pattern)
        count = len(tasks.read_text().splitlines()) - 1
        for task in range(1, count + 1):
            if task == count:  # the jobs of the others have ended
                (programs / "queue.txt").write_text("")
            place.lvtext("sweep", "run", "sweeps/stages", "--task", f"{tasks}:{task}", *words)
        return tasks.parent

    shutil.rmtree(place.folder / "runs")  # check_stages() counts the trainings there
    write_stages(place)
    submit("s.yaml")
    text = submit("sweeps/stages")
    check("queued or running" in text, f"submitted twice: {text}")
    first = run_tasks("slurm/sweep/stages-*/tasks.jsonl", "--pause-at", "10")
    shutil.rmtree(first)  # the last task has submitted the next rung
    run_tasks("slurm/sweep/stages-*/tasks.jsonl")
    check_stages(place)
    (programs / "queue.txt").write_text("")

    for name in ("grid", "grid-2"):
        place.write(f"{name}.yaml", GRID.replace("sweep: grid", f"sweep: {name}"))
        submit(f"{name}.yaml")
    queue = (programs / "queue.txt").read_text()
    check(queue.count("PD") == 18, f"two sweeps of eight trainings and a report:\n{queue}")
    place.lvtext("sweep", "stop", "sweeps/grid")
    queue = (programs / "queue.txt").read_text()
    check(queue.count("PD") == 9, f"jobs of another sweep were canceled:\n{queue}")
    (programs / "ends").touch()
    text = submit("sweeps/grid-2", "--wait", code=1)
    check("9 tasks queued or running" in text and "8 trainings not finished" in text, text)
    place.write("h.yaml", HALVING)
    check("6 trainings not finished" in submit("h.yaml", "--wait", code=1), "a rung that was canceled")

    text = place.lvtext("train", RECIPE, "--executor", "slurm", "--pause-at", "5", code=64)
    check("--pause-at is only for `--executor local`" in text, text)


def test_halving(folder):
    """Paused and continued trainings equal those that were never paused; kills change no decision."""
    place = Place(folder / "halving")
    place.write("h.yaml", HALVING)
    place.lvtext("sweep", "run", "h.yaml", "--workers", "2")
    status = place.status("sweeps/halving")
    states = [each["state"] for each in status["trials"]]
    check(sorted(states) == ["ended"] * 5 + ["finished"], states)
    report = place.folder / "reports/sweeps/halving"
    table = [line.split(",") for line in (report / "table.csv").read_text().splitlines()]
    compared = [sum(bool(row[table[0].index(f"objective{at}")]) for row in table[1:]) for at in ("_at_30", "_at_60", "")]
    check(compared == [6, 3, 1], f"{compared} values at the rungs")
    check(len((report / "slices.csv").read_text().splitlines()) == 7, "slices do not show the first rung")
    check("train.stop" not in (report / "parallel_coordinates.csv").read_text(), "an axis of one value")
    best = next(each for each in status["trials"] if each["state"] == "finished")
    words = [f"{path}={value}" for path, value in best["setting"].items()]
    place.lvtext("train", RECIPE, "--rows", "lm", *words, "--out", "whole", "--workers", "1")
    whole = next((place.folder / "whole").glob("tests.lm*"))
    paused = next((place.folder / "runs").glob(f"*{whole.name[-8:]}"))
    check((whole / "log.jsonl").read_bytes() == (paused / "log.jsonl").read_bytes(), "another log")
    for weights in whole.glob("snapshots/*/model.safetensors"):
        check(weights.read_bytes() == (paused / weights.relative_to(whole)).read_bytes(), "other weights")

    killed = Place(folder / "killed")
    killed.write("h.yaml", HALVING.replace("sweep: halving", "sweep: killed"))
    kills = kill_in_rungs(killed, 4 if FLAGS.long else 1)
    again = killed.status("sweeps/killed")
    check([each["state"] for each in again["trials"]] == states, f"other decisions\n{killed.log()}")
    check(killed.table("killed") == place.table("halving"),
          different(killed.table("killed"), place.table("halving")) + killed.log())
    print(f"killed in the rungs: {kills}")

    # The same for a training alone: the pause is no part of the identity, and its schedule is that of the whole length.
    train = ["train", RECIPE, "--rows", "lm", "--workers", "1", "train.optimizers.default.schedule={type: linear}", "--out"]
    place.lvtext(*train, "pause", "--pause-at", "15", code=75)
    place.lvtext(*train, "pause")
    place.lvtext(*train, "straight")
    one, other = (next((place.folder / out).glob("tests.lm*")) for out in ("pause", "straight"))
    check(one.name == other.name, "another identity")
    check((one / "log.jsonl").read_bytes() == (other / "log.jsonl").read_bytes(), "another log")


# `tuned` starts from the weights of `lm`, which is swept too.
STAGES = """sweep: stages
recipe: stages.yaml
rows: [lm, tuned]
space: {train.optimizers.default.lr: {range: [1e-3, 1e-2]}}
search: {type: halving, trials: 2, rungs: [10], keep: 0.5}
objective: {validation: true}
"""


def write_stages(place):
    row = '\n  tuned: {model: rnn_lm, label: "Tuned", embedding: 16, decoder: {hidden: 16}, init: {from: lm}}'
    place.write("stages.yaml", RECIPE.read_text().replace("\n  ae: ", row + "\n  ae: "))
    place.write("s.yaml", STAGES)


def check_stages(place):
    """Checks that one trial has ended at the rung with its second training paused."""
    states = sorted(each["state"] for each in place.status("sweeps/stages")["trials"])
    check(states == ["ended", "finished"], states)
    finished = {row: len(list(place.folder.glob(f"runs/tests.{row}*/manifest.json"))) for row in ("lm", "tuned")}
    check(finished == {"lm": 2, "tuned": 1}, f"finished trainings: {finished}")


def test_stages(folder):
    """Halving of two rows of which one starts from the other: only the latter pauses."""
    place = Place(folder / "stages")
    write_stages(place)
    place.lvtext("sweep", "run", "s.yaml", "--workers", "2")
    check_stages(place)


def kill_in_rungs(place, count):
    """Runs h.yaml and kills it so often in each rung, within its trainings; returns the kills of each rung."""
    chance = random.Random(1)
    kills = {"30": 0, "60": 0, "the end": 0}
    is_killed = True
    while is_killed:
        is_killed = False
        (place.folder / "log.txt").unlink(missing_ok=True)
        parent = place.start("sweep", "run", "h.yaml", "--workers", "2")
        rung, logged = None, 0
        while parent.poll() is None:
            time.sleep(0.02)
            stages = re.findall(r"trainings? of 6(?: up to step (\d+))?\n", place.log())
            if stages and rung != (stages[-1] or "the end"):
                rung, logged = stages[-1] or "the end", place.logged()
            if rung is None or kills[rung] == count or place.logged() == logged:
                continue
            time.sleep(chance.uniform(0, 0.1))
            if parent.poll() is not None:
                break
            parent.send_signal(chance.choice([signal.SIGKILL, signal.SIGTERM]))
            parent.wait()
            kills[rung] += 1
            is_killed = True
    check(parent.returncode == 0, f"code {parent.returncode}, killed {kills}\n{place.log()}")
    check(min(kills.values()) > 0, f"killed {kills}\n{place.log()}")
    return kills


def test_kills(folder):
    """Twenty runs, four workers; workers are killed 30 times and the parent 5 times."""
    quiet = Place(folder / "quiet")
    quiet.write("g.yaml", TWENTY)
    quiet.lvtext("sweep", "run", "g.yaml", "--workers", "1")
    place = Place(folder / "kills")
    place.write("g.yaml", TWENTY)
    chance = random.Random(2)
    parents = workers = 0
    parent = place.start("sweep", "run", "g.yaml", "--workers", "4")
    while parent.poll() is None:
        time.sleep(chance.uniform(0.05, 0.6))
        found = place.workers()
        if workers < 30 and found:
            os.kill(chance.choice(found), signal.SIGKILL)
            workers += 1
        if parents < 5 and workers >= 6 * (parents + 1):
            parent.kill()
            parent.wait()
            parents += 1
            parent = place.start("sweep", "run", "g.yaml", "--workers", "4")
    check(parent.returncode == 0, place.log())
    print(f"killed: {workers} workers, {parents} parents")
    check(workers == 30 and parents == 5, "the sweep ended before all kills")
    check(place.table("grid") == quiet.table("grid"), different(place.table("grid"), quiet.table("grid")))
    check(place.logs() == quiet.logs(), "other logs")
    check(len(place.logs()) == 20, f"{len(place.logs())} trainings")
    finished = re.findall(r"\] (lm(?:-\d+)?) \(", place.log())
    check(len(set(finished)) == len(finished), f"computed again: {sorted(finished)}")
    check(not place.processes(), f"left: {place.processes()}")


def test_optuna(folder):
    """Twelve trials in three calls, each from nothing; repeated, the settings are equal."""
    python = folder / "optuna/bin/python"
    for command in ([sys.executable, "-m", "venv", folder / "optuna"],
                    [python, "-m", "pip", "install", "-q", "--no-input", "optuna==5.0.0"]):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            print(f"not tested: Optuna could not be installed: {done.stdout}{done.stderr}")
            return
    settings = []
    for name in ("one", "two"):
        place = Place(folder / f"optuna-{name}")
        place.write("o.yaml", HALVING.replace("sweep: halving", "sweep: optuna")
                    .replace("{type: halving, trials: 6, seed: 2, rungs: [30, 60], keep: 0.5}", "{type: random, seed: 2}")
                    .replace("train.stop: [120u], ", "").replace("true}}", "true}, models.lm.embedding: [8, 16]}"))
        for _ in range(3):
            subprocess.run([python, SOURCE / "scripts/optuna_sweep.py", "o.yaml", "--trials", "4",
                            "--lvtext", LVTEXT], cwd=place.folder, env=place.environment, check=True)
            place.lvtext("sweep", "run", "o.yaml", "--workers", "2")
        settings.append([(each["setting"], each["state"]) for each in place.status("sweeps/optuna")["trials"]])
    check(len(settings[0]) == 12 and settings[0] == settings[1], settings)


def main():
    parts = {"grid": test_grid, "papers": test_papers, "failures": test_failures, "halving": test_halving,
             "stages": test_stages}
    if FLAGS.long:
        parts |= {"slurm": test_slurm, "kills": test_kills, "optuna": test_optuna}
    only = [name for name in FLAGS.only.split(",") if name]
    unknown = set(only) - set(parts)
    if unknown:
        PARSER.error(f"no part {', '.join(sorted(unknown))}; parts: {', '.join(parts)}")
    folder = pathlib.Path(tempfile.mkdtemp(prefix="lvtext-sweep-"))
    try:
        for name in only or parts:
            begin = time.monotonic()
            parts[name](folder)
            print(f"== {name}: {time.monotonic() - begin:.1f} s", flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
