#!/usr/bin/env python3
"""Checks that `lvtext config` prints a recipe with the same nodes.

usage: printed.py LVTEXT TOYS [--long]

For one recipe of each paper at the default profile: the printed recipe plans the same nodes, with the
same identities, and prints itself; with --long, every shipped recipe and toy, and the same nodes also
at every other profile. TOYS is the plug-in of the toys."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

lvtext = pathlib.Path(sys.argv[1]).resolve()
toys = pathlib.Path(sys.argv[2]).resolve()
SOURCE = pathlib.Path(__file__).resolve().parent
ROOT = SOURCE.parent.parent
folder = pathlib.Path(tempfile.mkdtemp())
environment = dict(os.environ, NO_COLOR="1", XDG_CACHE_HOME=str(folder / "cache"))
failures = count = 0
is_long = "--long" in sys.argv


def run(place, plugin, *arguments):
    extra = ["--plugin", plugin] if plugin else []
    done = subprocess.run([lvtext, *map(str, arguments), *extra], cwd=place, env=environment,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=600)
    return done.stdout if done.returncode == 0 else f"FAILED {done.returncode}\n{done.stderr}"


def fail(message, *details):
    global failures
    failures += 1
    print(f"FAILED: {message}", *details, sep="\n", flush=True)


def nodes(place, plugin, *arguments):
    plan = run(place, plugin, "reproduce", *arguments, "--dry-run", "--json", "--out", folder / "runs")
    if plan.startswith("FAILED"):
        return plan
    return {node["name"]: node["identity"] for node in json.loads(plan)["nodes"]}


def leaves(value, path=""):
    """Returns the values of a tree by their paths."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    if not items:
        return {path: value}
    return {key: leaf for name, each in items for key, leaf in leaves(each, f"{path}.{name}").items()}


def differences(one, two):
    if isinstance(one, str) or isinstance(two, str):
        return [one if isinstance(one, str) else two]
    lines = [f"  {name}: {one.get(name)} {two.get(name)}" for name in sorted(one.keys() | two.keys())
             if one.get(name) != two.get(name)]
    return lines[:8]


def check(recipe, plugin=None, place=ROOT):
    global count
    text = recipe.read_text()
    base = re.search(r"^base: (\S+)", text, re.M)
    if base:
        text += (recipe.parent / base[1]).read_text()
    block = text[text.find("\nprofiles:"):] if "\nprofiles:" in text else ""
    profiles = sorted(set(re.findall(r"^  ([a-z0-9_-]+):", block, re.M))) if is_long else []
    for profile in [[], *(["--profile", name] for name in profiles)]:
        name = f"{recipe.relative_to(ROOT)} {' '.join(profile)}"
        planned = nodes(place, plugin, recipe, *profile)
        if isinstance(planned, str) and "unknown profile" in planned:
            continue
        count += 1
        printed = folder / "printed.yaml"
        printed.write_text(run(place, plugin, "config", recipe, *profile, "--origins"))
        again = nodes(place, plugin, printed)
        if planned != again:
            fail(f"{name}: other nodes", *differences(planned, again))
            continue
        if profile:
            continue  # equal nodes have equal values; the default profile shows that all are printed
        values = [run(place, plugin, "config", "--json", file, *more)
                  for file, more in ((recipe, profile), (printed, []))]
        first, second = (leaves(json.loads(value)) for value in values)
        if first != second:
            fail(f"{name}: the printed recipe prints something else", *differences(first, second))


for paper in sorted((ROOT / "recipes").iterdir()):
    files = sorted(paper.glob("*.yaml"))
    for file in files if is_long else files[-1:]:
        check(file)
if is_long:
    environment["LVTEXT_DATA"] = str(folder / "data")
    shutil.copytree(SOURCE / "toys" / "data", folder / "data")
    for file in sorted((SOURCE / "toys").glob("*.yaml")):
        check(file, toys, SOURCE)
shutil.rmtree(folder)
print(f"{count} recipes and profiles, {failures} failures")
sys.exit(1 if failures or count < (20 if is_long else 6) else 0)
