#!/usr/bin/env python3
"""Checks the graphs of the recipes in tests/recipes/skeletons: the number of nodes of each entry
must equal the one counted by hand (skeletons/README.md).

usage: skeletons.py LVTEXT STUBS
"""
import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).parent / "skeletons"


def counted(file):
    """Returns {profile: {section: {entry: nodes}}}; the total is a section without entries."""
    counts, path = {}, []
    for line in file.read_text().splitlines():
        line, indent = line.split("#")[0].rstrip(), len(line) - len(line.lstrip())
        if not line:
            continue
        key, _, number = line.strip().partition(":")
        path = path[: indent // 2]
        at = counts
        for name in path:
            at = at[name]
        at[key] = int(number) if number else {}
        path.append(key)
    return counts


def run(lvtext, stubs, recipe, profile, *arguments):
    command = [lvtext, arguments[0], recipe.name, "--plugin", stubs, *arguments[1:]]
    command += ["--profile", profile] if profile != "default" else []
    done = subprocess.run(command, cwd=FOLDER, capture_output=True, text=True)
    return done.stdout, done.stderr if done.returncode != 0 else ""


def entry_of(node):
    """Returns the entry of a node: `bleu` for `mos[avg]-bleu-score`, `decoder` for
    `decoder[avg]-1112`. The framework appends words to the ids, separated by '-', which ids do not
    contain."""
    words = re.sub(r"\[[^]]*\]", "", node).split("-")
    words = [word for word in words if not word.isdigit() and word != "checkpoints"]
    if words[-1] == "score":
        return words[-2]
    if words[1:] and words[1] in ("source", "pack", "tokenizer"):
        return words[0]
    return words


def planned(nodes, entries):
    """Returns {entry: nodes}; nodes of no entry are listed by their full name."""
    counts = collections.Counter()
    for node in nodes:
        words = entry_of(node)
        if isinstance(words, list):  # an entry, one split of it, or what is generated for a row
            known = [word for word in reversed(words) if word in entries]
            words = known[0] if known else node
        counts[words] += 1
    return counts


def differences(sections, counts, total):
    found = []
    known = set()
    for section, entries in sections.items():
        if section == "total":
            if entries != total:
                found.append(f"all nodes: {entries} by hand, {total} planned")
            continue
        for entry, nodes in entries.items():
            known.add(entry)
            if counts[entry] != nodes:
                found.append(f"{section}.{entry}: {nodes} by hand, {counts[entry]} planned")
    found += [f"{entry}: not in the list, {nodes} planned"
              for entry, nodes in counts.items() if entry not in known]
    return found


def main():
    lvtext, stubs = (str(pathlib.Path(each).resolve()) for each in sys.argv[1:])
    wrong = False
    for recipe in sorted(FOLDER.glob("*.yaml")):
        for profile, sections in counted(recipe.with_suffix(".nodes")).items():
            with tempfile.TemporaryDirectory() as runs:
                plan, errors = run(lvtext, stubs, recipe, profile, "reproduce", "--dry-run", "--json",
                                   "--out", runs)
            if errors:
                print(f"{recipe.name}, {profile}: {errors}")
                wrong = True
                continue
            plan = json.loads(plan)
            names = [node["name"] for node in plan["nodes"]]
            entries = {entry for section in sections.values() if isinstance(section, dict)
                       for entry in section}
            found = differences(sections, planned(names, entries), len(names))
            print(f"{recipe.name}, {profile}: {len(names)} nodes", *found, sep="\n  ")
            wrong = wrong or bool(found)
    return wrong


if __name__ == "__main__":
    sys.exit(main())
