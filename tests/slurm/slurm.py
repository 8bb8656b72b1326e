#!/usr/bin/env python3
"""Tests `--executor slurm` with a private Slurm. usage: slurm.py [--long] [--only PARTS] LVTEXT RECIPES

PARTS are separated by commas: plan, body, quickstart; with --long also sweep, signals, owner, doctor,
failing-row, requeue, preemption, time-limit, ends. Exit code 77 where Slurm is not installed.
"""

import argparse
import concurrent.futures
import contextlib
import filecmp
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from private_slurm import Missing, PrivateSlurm, find_programs, until

PARSER = argparse.ArgumentParser()
PARSER.add_argument("--long", action="store_true")
PARSER.add_argument("--only", default="", help="parts, separated by commas")
PARSER.add_argument("lvtext", type=pathlib.Path)
PARSER.add_argument("recipes", type=pathlib.Path)
FLAGS = PARSER.parse_args()
LVTEXT, RECIPES = FLAGS.lvtext.resolve(), FLAGS.recipes.resolve()
QUICKSTART = RECIPES / "quickstart/quickstart.yaml"
DIVERGED = RECIPES.parent / "tests/cli/diverged.yaml"
EVAL_ALL = RECIPES / "eval-all/table1.yaml"


class Place:
    """A working directory with settings, in which commands run."""

    def __init__(self, folder, environment, settings):
        self.folder = folder
        self.environment = environment
        folder.mkdir()
        (folder / "slurm.yaml").write_text(settings)

    def lvtext(self, *arguments, code=0):
        """Runs a command and returns its output; fails unless it ends with `code`."""
        done = subprocess.run([LVTEXT, *map(str, arguments)], cwd=self.folder, env=self.environment,
                              capture_output=True, text=True)
        if done.returncode != code:
            raise AssertionError(f"lvtext {' '.join(map(str, arguments))}: exit code {done.returncode}, "
                                 f"expected {code}\n{done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def json(self, *arguments):
        done = subprocess.run([LVTEXT, *map(str, arguments), "--json"], cwd=self.folder,
                              env=self.environment, stdout=subprocess.PIPE, check=True)
        return json.loads(done.stdout)

    def submit(self, *arguments):
        """Submits and returns what was submitted."""
        return self.json(*arguments, "--executor", "slurm")

    def training(self, row, out="runs"):
        """Returns the folder of a training, or None."""
        return next(iter(self.folder.glob(f"{out}/quickstart.{row}.smoke.*")), None)

    def begun(self, row, out):
        """Whether a training has logged a step."""
        folder = self.training(row, out)
        log = folder and folder / "timing.jsonl"
        return bool(log) and log.exists() and log.stat().st_size > 200


def check(holds, what):
    if not holds:
        raise AssertionError(what)


def same_folder(one, other):
    """Checks that two folders have equal files."""
    compared = filecmp.dircmp(one, other)
    different = compared.left_only + compared.right_only + compared.funny_files
    _, unequal, errors = filecmp.cmpfiles(one, other, compared.common_files, shallow=False)
    check(not different + unequal + errors, f"{one} and {other} differ: {different + unequal + errors}")
    for name in compared.common_dirs:
        same_folder(pathlib.Path(one) / name, pathlib.Path(other) / name)


def tasks_of(place, submitted):
    lines = (place.folder / submitted["folder"] / "tasks.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines][1:]


def logs_of(place, submitted):
    folder = place.folder / submitted["folder"]
    return "\n".join(f"== {file}\n{file.read_text()}" for file in sorted(folder.glob("[la]*s/*.txt")))


def job_of(submitted, stage):
    return next(each["submitted"] for each in submitted["stages"] if each["name"] == stage)


def test_plan(place):
    """Files and plans, without a cluster."""
    (place.folder / "gpu.yaml").write_text("gpus: 1\ntime: 4:00:00\nparallel: 8\n")
    shown = place.lvtext("reproduce", EVAL_ALL, "--profile", "paper", "--executor", "slurm", "--print",
                         "--slurm", "gpu.yaml")
    commands = [line for line in shown.splitlines() if line.startswith("sbatch ")]
    check(1 <= len(commands) <= 5, f"{len(commands)} submissions")
    check("#SBATCH --gpus=1" in shown, "no GPUs")
    folder = next(place.folder.glob("slurm/eval-all/table1-paper-*"))
    tasks = [json.loads(line) for line in (folder / "tasks.jsonl").read_text().splitlines()]
    check(tasks[0]["device"] == "cuda", "the device is not decided")
    of_rows = [(each["row"], each["seed"]) for each in tasks[1:] if each["stage"] == "rows"]
    check(len(set(of_rows)) == len(of_rows) > 10, "not one line per row and seed")
    check(not (folder / "submitted.jsonl").exists(), "--print has submitted")

    # The identities are those of a machine with a GPU.
    def plan(*words):
        nodes = place.json("reproduce", QUICKSTART, "--dry-run", *words)["nodes"]
        return [each["identity"] for each in nodes]

    slurm = plan("--executor", "slurm", "--slurm", "gpu.yaml")
    check(slurm == plan("train.device=cuda"), "other identities than with train.device=cuda")
    check(slurm != plan("--executor", "slurm"), "a plan without GPUs is not different")

    # A job without GPU ends before it writes.
    place.lvtext("reproduce", QUICKSTART, "--profile", "smoke", "--executor", "slurm", "--print",
                 "--slurm", "gpu.yaml")
    folder = next(folder for folder in place.folder.glob("slurm/quickstart/quickstart-smoke-*"))
    row = next(each["task"] for each in map(json.loads, (folder / "tasks.jsonl").read_text().splitlines())
               if each.get("row") == "vae")
    if not pathlib.Path("/dev/nvidia0").exists():
        text = place.lvtext("reproduce", QUICKSTART, "--profile", "smoke", "--task", f"{folder}/tasks.jsonl:{row}",
                            code=69)
        check("cuda was requested" in text, text)
        check(not (place.folder / "runs").exists(), "a job without GPU has written")

    text = place.lvtext("reproduce", QUICKSTART, "--profile", "smoke", "train.seed=5", "--task",
                        f"{folder}/tasks.jsonl:{row}", code=78)
    check("has changed since this task was submitted" in text, text)
    check("is only for `--executor slurm`" in place.lvtext("reproduce", QUICKSTART, "--print", code=64), "--print")
    (place.folder / "wrong.yaml").write_text("partion: x\ncpus: 0\n")
    text = place.lvtext("reproduce", QUICKSTART, "--executor", "slurm", "--slurm", "wrong.yaml", code=78)
    check("wrong.yaml:1" in text and "wrong.yaml:2" in text and "'partition'" in text, text)


def test_body(place):
    """The shell of a job queues its task again after a warning that ends it, and not after another signal."""
    place.lvtext("reproduce", QUICKSTART, "--profile", "smoke", "--executor", "slurm", "--print")
    text = next(place.folder.glob("slurm/quickstart/quickstart-smoke-*/rows.sbatch")).read_text()
    # A program without a handler, as lvtext at its start.
    text = "".join("run_task() { exec sleep 60; }\n" if line.startswith("run_task()") else line
                   for line in text.splitlines(keepends=True))
    (place.folder / "body.sh").write_text(text)
    (place.folder / "scontrol").write_text("#!/bin/sh\necho \"$@\" >>scontrol.txt\n")
    (place.folder / "scontrol").chmod(0o755)
    environment = place.environment | {"PATH": f"{place.folder}:{place.environment['PATH']}"}
    environment |= {"SLURM_ARRAY_JOB_ID": "7", "SLURM_ARRAY_TASK_ID": "3", "SLURM_CPUS_PER_TASK": "1"}

    def end(restarts, *signals):
        """Sends signals to the shell and its program; returns what was queued again."""
        (place.folder / "scontrol.txt").write_text("")
        shell = subprocess.Popen(["bash", "body.sh"], cwd=place.folder, start_new_session=True,
                                 env=environment | {"SLURM_RESTART_COUNT": str(restarts)})
        until(lambda: "sleep" in programs(shell.pid), "the program")
        for number in signals:
            if number == signal.SIGUSR2:
                shell.send_signal(number)  # --signal=B:USR2
            else:
                os.killpg(shell.pid, number)
        shell.wait(30)
        return (place.folder / "scontrol.txt").read_text().split()

    def programs(parent):
        """The names of the child processes."""
        names = set()
        for child in pathlib.Path(f"/proc/{parent}/task/{parent}/children").read_text().split():
            with contextlib.suppress(OSError):
                names.add(pathlib.Path(f"/proc/{child}/comm").read_text().strip())
        return names

    check(end(0, signal.SIGUSR2) == ["requeue", "7_3"], "the warning")
    check(end(1, signal.SIGTERM) == [], "SIGTERM alone")
    check(end(20, signal.SIGUSR2) == [], "after all attempts")


def test_quickstart(place, slurm):
    """The quick start as jobs has the report of the local executor."""
    config = slurm.run("scontrol", "show", "config")
    storage = next(line for line in config.splitlines() if line.startswith("AccountingStorageType"))
    check("none" in storage or "null" in storage, f"accounting is not disabled: {storage}")
    words = ["reproduce", QUICKSTART, "--profile", "smoke"]
    pool = concurrent.futures.ThreadPoolExecutor(1)  # the local run computes while jobs wait
    local = pool.submit(place.lvtext, *words, "--workers", "1", "--out", "local", "--report", "local-report")
    submitted = place.submit(*words)
    check([each["name"] for each in submitted["stages"]][-2:] == ["rows", "report"], submitted["stages"])
    again = place.submit(*words)
    check(all(each["submitted"] is None for each in again["stages"]), f"submitted twice: {again}")
    text = place.lvtext(*words, "--executor", "slurm", "--wait")
    check("queued or running" in text, text)
    check(not slurm.queue(), f"--wait has not waited: {slurm.queue()}")
    report = place.folder / "reports/quickstart/quickstart-smoke"
    check(report.exists(), logs_of(place, submitted))
    local.result()
    same_folder(place.folder / "local-report", report)
    check("all tasks are finished" in place.lvtext(*words, "--executor", "slurm"), "submitted again")


def trainings(steps, out):
    return ["train", QUICKSTART, "--profile", "smoke", "--rows", "ae,vae", f"train.stop={steps}u",
            "train.log_every=5u", "--out", out]


def steps_of(place, seconds):
    """Returns how many updates take at least so many seconds on this machine, whatever its load."""
    place.lvtext(*trainings(100, "rate"), "--workers", "1")
    lines = (place.training("vae", "rate") / "timing.jsonl").read_text().splitlines()
    return max(100, int(seconds * max(json.loads(line)["steps_per_second"] for line in lines)))


def same_training(place, row, out, logs):
    """Checks that a training equals the uninterrupted one, byte for byte."""
    one, other = place.training(row, f"{out}-local"), place.training(row, out)
    check(other and (other / "manifest.json").exists(), f"{row} in {out} is not finished:\n{logs}")
    check((one / "log.jsonl").read_bytes() == (other / "log.jsonl").read_bytes(), f"{row} in {out}: another log")
    for weights in one.glob("snapshots/*/model.safetensors"):
        check(weights.read_bytes() == (other / weights.relative_to(one)).read_bytes(),
              f"{row} in {out}: other weights")


def task_id(place, submitted, row):
    """Returns Slurm's id of the task of a row, and its number."""
    task = next(each["task"] for each in tasks_of(place, submitted) if each["row"] == row)
    return f"{job_of(submitted, 'rows')}_{task}", task


def starts(place, submitted, task):
    """Returns how often a task was started, and its exit codes."""
    lines = (place.folder / submitted["folder"] / f"attempts/{task}.txt").read_text().splitlines()
    return sum(line.endswith(" start") for line in lines), [line.split()[-1] for line in lines if "exit code" in line]


def restarts(slurm, task):
    shown = slurm.run("scontrol", "show", "job", task)
    return int(shown.split("Restarts=")[1].split()[0])


def test_requeue(place, slurm, steps=150):
    """One task of an array is queued again: it resumes, the others go on, also without the command that waits."""
    place.lvtext(*trainings(steps, "requeue-local"), "--workers", "1")
    submitted = place.submit(*trainings(steps, "requeue"))
    waiting = subprocess.Popen([LVTEXT, *map(str, trainings(steps, "requeue")), "--executor", "slurm", "--wait"],
                               cwd=place.folder, env=place.environment, stdout=subprocess.DEVNULL)
    (vae, number), (ae, _) = task_id(place, submitted, "vae"), task_id(place, submitted, "ae")
    until(lambda: place.begun("vae", "requeue") and place.begun("ae", "requeue"), "two trainings", 200)
    waiting.send_signal(signal.SIGINT)
    waiting.wait(20)
    check(set(slurm.queue()) == {ae, vae}, f"leaving --wait has stopped jobs: {slurm.queue()}")
    slurm.run("scontrol", "requeue", vae)
    check(restarts(slurm, ae) == 0, "the other task was queued again")
    slurm.wait(400)
    logs = logs_of(place, submitted)
    count, codes = starts(place, submitted, number)
    check(count == 2 and codes[-1] == "0", f"{count} starts, codes {codes}\n{logs}")
    for row in ("ae", "vae"):
        same_training(place, row, "requeue", logs)


def test_preemption(place, slurm, steps=150):
    """A job of higher priority takes the nodes; afterwards both trainings resume."""
    place.lvtext(*trainings(steps, "preempted-local"), "--workers", "1")
    submitted = place.submit(*trainings(steps, "preempted"))
    until(lambda: place.begun("vae", "preempted") and place.begun("ae", "preempted"), "two trainings", 200)
    slurm.run("sbatch", "--partition=high", "--nodes=2", "--exclusive", "--output=/dev/null", "--wrap", "sleep 2")
    slurm.wait(400)
    for row in ("ae", "vae"):
        _, number = task_id(place, submitted, row)
        count, codes = starts(place, submitted, number)
        check(count == 2 and codes[-1] == "0", f"{row}: {count} starts, {codes}\n{logs_of(place, submitted)}")
        same_training(place, row, "preempted", logs_of(place, submitted))


def test_time_limit(place, slurm):
    """Before the time limit a task saves and is queued again, until it has finished."""
    steps = steps_of(place, 75)
    submitted = place.submit(*trainings(steps, "limit"))
    place.lvtext(*trainings(steps, "limit-local"), "--workers", "2")
    slurm.wait(2400)
    for row in ("ae", "vae"):
        _, number = task_id(place, submitted, row)
        count, codes = starts(place, submitted, number)
        check(count >= 2 and "75" in codes and codes[-1] == "0",
              f"{row}: {count} starts, {codes}\n{logs_of(place, submitted)}")
        same_training(place, row, "limit", logs_of(place, submitted))


def test_ends(place, slurm):
    """After its attempts a task ends at the time limit; a canceled one stays canceled."""
    steps = steps_of(place, 600)
    submitted = place.submit(*trainings(steps, "ends"))
    (vae, number), (_, ae) = task_id(place, submitted, "vae"), task_id(place, submitted, "ae")
    until(lambda: place.begun("vae", "ends"), "the training", 200)
    slurm.run("scancel", vae)
    slurm.wait(300)
    logs = logs_of(place, submitted)
    check(starts(place, submitted, number)[0] == 1, f"a canceled task has started again\n{logs}")
    check(starts(place, submitted, ae) == (2, ["75", "75"]), f"{starts(place, submitted, ae)}\n{logs}")
    check(not (place.training("vae", "ends") / "manifest.json").exists(), "a canceled training has finished")
    again = place.submit(*trainings(steps, "ends"))
    check([stage["name"] for stage in again["stages"] if stage["submitted"]] == ["rows"], f"{again}")
    slurm.run("scancel", "--me")


def test_failing_row(place, slurm):
    """A row that fails leaves the others and the report."""
    submitted = place.submit("reproduce", DIVERGED)
    slurm.wait()
    page = place.folder / "reports/tests/diverged-default/index.html"
    check(page.exists(), logs_of(place, submitted))
    text = page.read_text()
    check("vae failed: the training diverged" in text, "the report does not name the failed row")
    check("real data" in text, "the other row is missing")


SWEEP = f"""sweep: NAME
recipe: {RECIPES.parent / "tests/sweep/tiny.yaml"}
rows: [lm]
space: {{train.optimizers.default.lr: SPACE}}
search: {{SEARCH}}
objective: {{validation: true}}
"""


def test_sweep(place, slurm):
    """A sweep as job arrays, with and without halving, has the table of the local executor."""
    grid = SWEEP.replace("SPACE}", "[1e-3, 2e-3, 4e-3, 8e-3, 1e-2], models.lm.embedding: [8, 16]}")
    grid = grid.replace("SEARCH", "type: grid") + "seeds: 2\n"
    halving = SWEEP.replace("SPACE", "{range: [1e-4, 1e-1], log: true}")
    halving = halving.replace("SEARCH", "type: halving, trials: 4, rungs: [10, 20]")
    for name, text in (("grid", grid), ("halving", halving)):
        (place.folder / f"{name}.yaml").write_text(text.replace("NAME", name))
        place.lvtext("sweep", "run", f"{name}.yaml", "--workers", "1", "--out", "local", "--report", f"local-{name}")
        place.lvtext("sweep", "run", f"{name}.yaml", "--executor", "slurm")
        if name == "grid":  # a rung can have ended by now
            text = place.lvtext("sweep", "run", f"sweeps/{name}", "--executor", "slurm")
            check("queued or running" in text, f"submitted twice: {text}")
        slurm.wait(300)
        report = place.folder / "reports/sweeps" / name
        logs = "".join(file.read_text() for file in sorted(place.folder.glob("slurm/sweep/*/logs/*.txt")))
        check(report.exists(), logs)
        check((place.folder / f"local-{name}/table.csv").read_bytes() == (report / "table.csv").read_bytes(),
              f"{name}: another table\n{logs}")
        arrays = list(place.folder.glob(f"slurm/sweep/{name}-*"))
        check(len(arrays) == (1 if name == "grid" else 3), f"{len(arrays)} submissions of {name}")
    place.lvtext("sweep", "stop", "sweeps/grid")


SIGNALS = """import pathlib, random, signal, subprocess, sys, time
lvtext, recipe, out = sys.argv[1:]
chance = random.Random(1)
for i in range(20):
    runs = pathlib.Path(out) / str(i)
    child = subprocess.Popen([lvtext, "train", recipe, "--rows", "lm", "train.stop=100000u", "--workers", "1",
                              "--out", str(runs)])
    while not any(log.stat().st_size > 200 for log in runs.glob("tests.lm*/timing.jsonl")):
        time.sleep(0.05)
    time.sleep(chance.uniform(0, 0.2))
    child.send_signal(signal.SIGTERM)
    time.sleep(chance.uniform(0.0005, 0.01))
    child.send_signal(signal.SIGTERM)
    code = child.wait()
    saved = sorted(runs.glob("tests.lm*/checkpoints/step-*/manifest.json"))
    print("pair", i, "code", code, "checkpoints", len(saved), flush=True)
    if code != 75 or not saved:
        sys.exit(1)
print("all saved")
"""


def test_signals(place, slurm):
    """Twenty pairs of SIGTERM 0.5 to 10 ms apart inside a job leave twenty checkpoints."""
    (place.folder / "signals.py").write_text(SIGNALS)
    slurm.run("sbatch", f"--chdir={place.folder}", f"--output={place.folder}/signals.txt", "--wrap",
              f"exec {sys.executable} signals.py {LVTEXT} {RECIPES.parent}/tests/sweep/tiny.yaml pairs")
    slurm.wait(300)
    text = (place.folder / "signals.txt").read_text()
    check("all saved" in text, text)


def test_owner(place, slurm):
    """Where files cannot be locked, an owner whose job is gone is replaced; one whose job runs is not."""
    (place.folder / "flock.c").write_text(
        "#include <errno.h>\nint flock(int fd, int kind) { errno = ENOLCK; return -1; }\n")
    compiler = shutil.which("clang") or shutil.which("cc") or shutil.which("clang-16")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", "flock.so", "flock.c"], cwd=place.folder, check=True)
    preloaded = Place(place.folder / "preloaded", place.environment | {"LD_PRELOAD": f"{place.folder}/flock.so"}, "")
    train = ["train", RECIPES.parent / "tests/sweep/tiny.yaml", "--rows", "lm", "--workers", "1"]
    preloaded.lvtext(*train, "--pause-at", "5", code=75)
    run = next(preloaded.folder.glob("runs/tests.lm*"))
    job = slurm.run("sbatch", "--parsable", "--output=/dev/null", "--wrap", "sleep 300").strip()
    until(lambda: "R" in slurm.run("squeue", "--noheader", f"--jobs={job}", "--format=%t"), "the job", 30)
    owner = {"pid": 1, "host": "elsewhere", "boot_id": "x", "start_ticks": 1,
             "slurm": {"cluster": "test", "job": job, "restarts": 0}}
    (run / "lock").write_text(json.dumps(owner))
    text = preloaded.lvtext(*train, code=75)
    check(f"Slurm job {job}" in text, text)
    slurm.run("scancel", job)
    slurm.wait(60)
    preloaded.lvtext(*train)
    check((run / "manifest.json").exists(), "the training was not finished")


def test_doctor(place, slurm):
    """All checks of the cluster hold."""
    found = {each["check"]: each for each in place.json("doctor", "--slurm")["checks"]}
    failed = {name: each for name, each in found.items() if each["state"] == "FAILED"}
    texts = "\n".join(file.read_text() for file in sorted(place.folder.glob("slurm/doctor-*/[la]*s/*.txt")))
    check(not failed, f"{failed}\n{texts}")
    check(sum(each["state"] == "works" for each in found.values()) == 6, found)


@contextlib.contextmanager
def scratch():
    folder = pathlib.Path(tempfile.mkdtemp(prefix="lvtext-slurm-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def environment_of(slurm, folder):
    environment = dict(slurm.environment if slurm else os.environ)
    for name in [name for name in environment if name.startswith(("LVTEXT_", "SLURM_JOB"))]:
        del environment[name]
    # Equal threads in jobs and in local runs: sums depend on them.
    environment |= {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "XDG_CACHE_HOME": str(folder / "cache"),
                    "XDG_CONFIG_HOME": str(folder / "config"), "NO_COLOR": "1", "CUDA_VISIBLE_DEVICES": ""}
    return environment


def run(name, test, *arguments):
    begin = time.monotonic()
    test(*arguments)
    print(f"== {name}: {time.monotonic() - begin:.1f} s", flush=True)


# Slurm sends the warning up to a minute early: here 15 to 45 s after the start.
LIMIT = "cpus: 1\ntime: 2\nwarning: 45\n"
PLAN = {"plan": (test_plan, "cpus: 1\n"), "body": (test_body, "cpus: 1\n")}
SHORT = {"quickstart": (test_quickstart, "cpus: 1\n")}
LONG = {
    "sweep": (test_sweep, "cpus: 1\nparallel: 4\n"),
    "signals": (test_signals, "cpus: 1\n"),
    "owner": (test_owner, "cpus: 1\n"),
    "doctor": (test_doctor, "cpus: 1\n"),
    "failing-row": (test_failing_row, "cpus: 1\n"),
    "requeue": (test_requeue, "cpus: 1\n"),
    "preemption": (test_preemption, "cpus: 1\n"),
    "time-limit": (test_time_limit, LIMIT),
    "ends": (test_ends, LIMIT + "attempts: 1\n"),
}


def main():
    only = [name for name in FLAGS.only.split(",") if name]
    jobs = SHORT | LONG if FLAGS.long else SHORT
    unknown = set(only) - set(PLAN | jobs)
    if unknown:
        PARSER.error(f"no part {', '.join(sorted(unknown))}; parts: {', '.join(PLAN | jobs)}")

    def chosen(parts):
        return {name: part for name, part in parts.items() if not only or name in only}

    with scratch() as folder:
        for name, (test, settings) in chosen(PLAN).items():
            run(name, test, Place(folder / name, environment_of(None, folder), settings))
        if not chosen(jobs):
            return
        try:
            find_programs()
        except Missing as reason:
            print(f"not tested: {reason}")
            sys.exit(77)
        # Parts that mostly wait for time limits, which are whole minutes, run beside the others.
        groups = [chosen({name: part}) for name, part in jobs.items() if part[1].startswith(LIMIT)]
        groups.append(chosen({name: part for name, part in jobs.items() if not part[1].startswith(LIMIT)}))

        def run_group(group, slurm, own):
            for name, (test, settings) in group.items():
                run(name, test, Place(folder / name, environment_of(slurm, own), settings), slurm)

        with contextlib.ExitStack() as stack:
            # Started one after another, because each looks for free ports.
            slurms = [(group, stack.enter_context(PrivateSlurm())) for group in groups if group]
            pool = concurrent.futures.ThreadPoolExecutor(len(slurms))
            # After a failure the jobs of the others are canceled, so that their threads end.
            stack.push(lambda *_: pool.shutdown(wait=False, cancel_futures=True))
            running = [pool.submit(run_group, group, slurm, folder / f"own-{i}")
                       for i, (group, slurm) in enumerate(slurms)]
            for ended in concurrent.futures.as_completed(running):
                ended.result()


if __name__ == "__main__":
    main()
