#!/usr/bin/env python3
"""Prints line and function coverage by folder as Markdown, from `llvm-cov export -summary-only`.

usage: coverage_table.py SUMMARY
"""
import collections
import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
OURS = ("framework", "losses", "models", "trainers", "evaluators")
MEASURES = ("lines", "functions")


def folders(summary):
    """Returns the counts by folder: {folder: {measure: [count, covered]}}."""
    table = collections.defaultdict(lambda: {measure: [0, 0] for measure in MEASURES})
    seen = set()
    for file in summary["data"][0]["files"]:
        path = pathlib.Path(file["filename"]).resolve()  # headers are reached through links
        if not path.is_relative_to(ROOT) or path in seen:
            continue
        seen.add(path)
        folder = path.relative_to(ROOT).parent
        if folder.parts[0] not in OURS:
            continue
        for measure in MEASURES:
            row = table[str(folder)][measure]
            row[0] += file["summary"][measure]["count"]
            row[1] += file["summary"][measure]["covered"]
    return table


def cells(row):
    texts = []
    for measure in MEASURES:
        count, covered = row[measure]
        texts += [str(count), f"{100 * covered / count:.1f}" if count else ""]
    return " | ".join(texts)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    table = folders(json.loads(pathlib.Path(sys.argv[1]).read_text()))
    commit = subprocess.run(["git", "-C", str(ROOT), "rev-parse", "--short=12", "HEAD"],
                            capture_output=True, text=True, check=True).stdout.strip()
    print("# Coverage\n")
    print(f"Written by `./scripts/test.sh --long coverage` at commit {commit}: lines and functions")
    print("that the default tests execute, in percent. Programs ended by SIGKILL are not counted.\n")
    print("| folder | lines | covered | functions | covered |")
    print("|---|---|---|---|---|")
    total = {measure: [0, 0] for measure in MEASURES}
    for folder in sorted(table):
        print(f"| {folder} | {cells(table[folder])} |")
        for measure in MEASURES:
            for k in range(2):
                total[measure][k] += table[folder][measure][k]
    print(f"| all | {cells(total)} |")


if __name__ == "__main__":
    main()
