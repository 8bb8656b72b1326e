#!/usr/bin/env python3
"""Asks Optuna for the next trials of a sweep and adds them. The study is rebuilt from the sweep's results
at each call; nothing is stored. With equal results and seed, the settings are equal.

usage: optuna_sweep.py SWEEP [--trials N] [--sampler tpe|gp|cmaes|qmc|random] [--seed N] [--lvtext PROGRAM]

Afterwards, `lvtext sweep run SWEEP` computes the new trials. Unfinished trials are told to Optuna as
running, failed ones as failed. A sweep without trials of its own: search: {type: random}. Quasi-random points (qmc)
cover the space evenly only if one call adds all of them.
"""

import argparse
import json
import subprocess
import sys

try:
    import optuna
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
    from optuna.trial import TrialState
except ImportError as missing:
    sys.exit(f"optuna_sweep.py: {missing}; install it with: pip install optuna")

STATES = {"finished": TrialState.COMPLETE, "failed": TrialState.FAIL, "ended": TrialState.PRUNED}


def distribution_of(dimension):
    if "values" in dimension:
        return CategoricalDistribution(dimension["values"])
    kind = IntDistribution if dimension["integer"] else FloatDistribution
    number = int if dimension["integer"] else float
    return kind(number(dimension["low"]), number(dimension["high"]), log=dimension["log"])


def value_of(distribution, text):
    """Returns the value of a text in a setting; None if it is outside the space."""
    if isinstance(distribution, CategoricalDistribution):
        return text if text in distribution.choices else None
    value = (int if isinstance(distribution, IntDistribution) else float)(text)
    return value if distribution.low <= value <= distribution.high else None


def sampler_of(name, seed):
    makers = {"tpe": lambda: optuna.samplers.TPESampler(seed=seed, constant_liar=True),
              "gp": lambda: optuna.samplers.GPSampler(seed=seed),
              "cmaes": lambda: optuna.samplers.CmaEsSampler(seed=seed),
              "qmc": lambda: optuna.samplers.QMCSampler(seed=seed),
              "random": lambda: optuna.samplers.RandomSampler(seed=seed)}
    return makers[name]()


def study_of(sweep, space, sampler):
    study = optuna.create_study(direction="minimize" if sweep["mode"] == "min" else "maximize", sampler=sampler)
    for trial in sweep["trials"]:
        values = {path: value_of(space[path], text) for path, text in trial["setting"].items()}
        if None in values.values():
            continue
        state = STATES.get(trial["state"], TrialState.RUNNING)
        if trial["objective"] is None and state == TrialState.COMPLETE:
            state = TrialState.FAIL
        study.add_trial(optuna.trial.create_trial(
            params=values, distributions={path: space[path] for path in values}, state=state,
            value=trial["objective"] if state == TrialState.COMPLETE else None))
    return study


def suggested(trial, path, distribution):
    if isinstance(distribution, CategoricalDistribution):
        return trial.suggest_categorical(path, distribution.choices)
    if isinstance(distribution, IntDistribution):
        return str(trial.suggest_int(path, distribution.low, distribution.high, log=distribution.log))
    return f"{trial.suggest_float(path, distribution.low, distribution.high, log=distribution.log):.6g}"


def setting_of(trial, sweep, space):
    """Asks for the values of the paths whose conditions hold."""
    setting = {}
    for dimension in sweep["space"]:
        path = dimension["path"]
        if any(setting.get(other) not in allowed for other, allowed in dimension["when"].items()):
            continue
        setting[path] = suggested(trial, path, space[path])
    return setting


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("sweep", help="a sweep file, or the folder of a sweep")
    parser.add_argument("--trials", type=int, default=1, help="number of trials to add")
    parser.add_argument("--sampler", default="tpe", choices=["tpe", "gp", "cmaes", "qmc", "random"])
    parser.add_argument("--seed", type=int, help="default: that of the sweep's search")
    parser.add_argument("--lvtext", default="lvtext", help="the executable")
    given = parser.parse_args()
    optuna.logging.set_verbosity(optuna.logging.WARNING)

    def lvtext(*words):
        done = subprocess.run([given.lvtext, "sweep", *words], stdout=subprocess.PIPE, text=True)
        if done.returncode != 0:
            sys.exit(done.returncode)
        return done.stdout

    sweep = json.loads(lvtext("status", given.sweep, "--json"))
    space = {each["path"]: distribution_of(each) for each in sweep["space"]}
    # Each call has its own seed: otherwise a sampler that ignores the history would repeat itself.
    seed = (sweep["seed"] if given.seed is None else given.seed) + 1000 * len(sweep["trials"])
    study = study_of(sweep, space, sampler_of(given.sampler, seed))
    for _ in range(given.trials):
        setting = setting_of(study.ask(), sweep, space)
        print(lvtext("add", given.sweep, *(f"{path}={value}" for path, value in setting.items())), end="")


if __name__ == "__main__":
    main()
