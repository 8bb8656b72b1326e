#!/usr/bin/env python3
"""Checks that the tree uses standard terms of the field, US spelling and plain technical English.

usage: glossary.py [--count]

Reads identifiers, string literals and comments of the sources, and the pages, recipes and scripts,
and reports each word that WORDS replaces. glossary_exceptions.txt lists the exceptions and their
reasons; an exception that matches nothing is an error. --count prints the number of findings per
rule.
"""
import fnmatch
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXCEPTIONS = pathlib.Path(__file__).with_name("glossary_exceptions.txt")
SHOWN = 400  # findings

# Scope of a rule: everywhere, prose (comments, string literals, pages), or identifiers.
ALL, PROSE, NAMES = "all", "prose", "names"
WORDS = [
    # recipe keys
    (r"\bmicro_sentences\b", "micro_size", ALL),
    (r"\bschedules_for\b", "schedule_length", ALL),
    (r"\bhalve_on_stall\b", "reduce_on_plateau", ALL),
    (r"\blatent_health\b", "latent_statistics", ALL),
    (r"\boptim\b", "optimizers", ALL),
    (r"\bleak_?\b", "negative_slope", NAMES),
    (r"(?m)^ *leak:|\bleak: *[0-9.]|\"leak\"", "negative_slope", ALL),
    (r"\borders\b(?= *[:=,)])", "max_order", ALL),
    (r"(?m)^ *(copied|distinct): ", "train_overlap, distinct_2", ALL),
    (r"(?m)^ *says:|\{ *says:|, *(says|here): ", "claim, ours", ALL),
    (r"(?m)^ *(uses|slots):", "inputs", ALL),
    (r"\bbatch\.(sentences|longest|tokens(?!\())\b", "batch.size, batch.max_tokens, max_length", ALL),
    # text for users
    (r"\b(end|begin) marks?\b", "EOS, BOS", PROSE),
    (r"\bpieces?\b", "token, subword token", PROSE),
    (r"\b(latent|sentence) codes?\b|\bcodes of\b|\bthe codes\b", "latent vectors", PROSE),
    (r"\bnetwork that (reads|writes)\b", "encoder, decoder", PROSE),
    (r"\bdoes not serve\b", "lacks the capability", PROSE),
    (r"\b(goes|go|went|going) on from\b", "resumes, continues from", PROSE),
    (r"\bin hand\b", "the fact itself", PROSE),
    (r"\b(wants?|nobody|whoever|somebody|nobody's)\b", "a plain verb or the passive voice", PROSE),
    (r"\bhas no say\b", "is ignored", PROSE),
    (r"\bknows\b", "supports, contains, defines", PROSE),
    (r"\bpublic addresses\b", "URLs", PROSE),
    (r"\b(is|are|was|were) asked for\b", "requested, required", PROSE),
    (r"\bin the place of\b|\bin (its|their) place\b", "instead of, replaces", PROSE),
    (r"\b(is|are|was|were|being) laid on\b", "merged into, overrides", PROSE),
    (r"\bslots?\b", "input, worker", PROSE),
    (r"\bfacts\b", "metadata", PROSE),
    (r"\b(stands?|lies) (for|in|beside|there|behind|below|at|where|alone)\b", "means, is in, contains", PROSE),
    (r"\bwhoever|\bpeople\b|\ba person\b", "users, raters, the passive voice", PROSE),
    (r"\b(tells?|says?) (which|what|how|where|why|whether|that|so)\b", "reports, specifies", PROSE),
    # identifiers
    (r"(?<!YAML::)\bMark\b", "SourceLocation", NAMES),
    (r"\b(facts|places?|slots?)_?\b", "metadata; index, location; input, worker", NAMES),
    (r"\b(code_(norm|gradient|space|path|text)|codes_between|CodeSpace)\b", "latent", NAMES),
    (r"\b(TrainProgress|StepReport)\b", "TrainerState, TrainerMetrics", NAMES),
    (r"\bTermDecl\b", "LossTerm", NAMES),
    (r"\b(Feeder|DatasetStream)\b", "BatchPrefetcher, DatasetLoader", NAMES),
    (r"\b(Encodes|SamplesPrior|NextToken|ScoresText|EmbedsSentences)\b", "a noun", NAMES),
    (r"\bfewest_rows\b", "min_batch_size", NAMES),
    (r"\b(Walk|Stream)\b", "DataLoader", NAMES),
    (r"\bconstrain\b", "project_parameters", NAMES),
    (r"\bPlace\b", "ParseContext, SourceLocation", NAMES),
    (r"\bModelUse\b", "InferenceSession", ALL),
    (r"\bOptimOptions\b", "OptimizerOptions", NAMES),
    # US spelling
    (r"(?i)(optimis|normalis|initialis|summaris|regularis|vectoris|tokenis|randomis|generalis"
     r"|serialis|recognis|organis|minimis|maximis|specialis)", "-iz-", ALL),
    (r"(?i)(behaviour|neighbour|colour|favour|labelled|labelling|modelling|cancelled|licence"
     r"|analyse|centred|centre\b|catalogue|judgement)", "US spelling", ALL),
    (r"\bFrechet\b(?! ?[A-Z_(:])", "Fréchet in prose", PROSE),
]
SOURCES = (".h", ".cpp")
TEXTS = (".md", ".yaml", ".sh", ".py", ".cmake", ".test", ".in")
SKIPPED = ("docs/results/", "docs/reference/", "CHANGELOG.md", "data/", "tests/docs/glossary")


def parts_of(source):
    """Returns prose and code of a C++ source, each with the line breaks of the other."""
    token = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'',
                       re.S)

    def blank(text):
        return " " + "\n" * text.count("\n")

    prose, code, end = [], [], 0
    for match in token.finditer(source):
        between = source[end:match.start()]
        prose += [blank(between), match[0]]
        code += [between, blank(match[0])]
        end = match.end()
    return "".join(prose) + blank(source[end:]), "".join(code) + source[end:]


def read_exceptions():
    """[path pattern, text pattern, used]."""
    exceptions = []
    for line in EXCEPTIONS.read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        path, pattern, reason = (part.strip() for part in line.split(" | "))
        if not reason:
            raise SystemExit(f"{EXCEPTIONS.name}: no reason for {pattern}")
        exceptions.append([path, re.compile(pattern), False])
    return exceptions


def is_excepted(exceptions, name, line):
    for exception in exceptions:
        if fnmatch.fnmatch(name, exception[0]) and exception[1].search(line):
            exception[2] = True
            return True
    return False


def findings(exceptions):
    names = subprocess.run(["git", "-C", ROOT, "ls-files"], check=True, capture_output=True,
                           text=True).stdout.splitlines()
    for name in names:
        path = ROOT / name
        if name.startswith(SKIPPED) or path.suffix not in SOURCES + TEXTS or path.is_symlink() \
                or not path.is_file():
            continue
        whole = path.read_text()
        prose, code = parts_of(whole) if path.suffix in SOURCES else (whole, "")
        lines = whole.splitlines()
        for pattern, instead, scope in WORDS:
            text = {ALL: whole, PROSE: prose, NAMES: code}[scope]
            for match in re.finditer(pattern, text):
                number = text.count("\n", 0, match.start())
                if not is_excepted(exceptions, name, lines[number]):
                    yield name, number + 1, match[0], instead, pattern


def main():
    if not (ROOT / ".git").exists():
        print("skipped: not a git checkout, so the list of files is unknown")
        sys.exit(77)
    exceptions = read_exceptions()
    found = list(findings(exceptions))
    if "--count" in sys.argv:
        counts = {}
        for each in found:
            counts[each[4]] = counts.get(each[4], 0) + 1
        for pattern, count in sorted(counts.items(), key=lambda item: -item[1]):
            print(f"{count:5} {pattern}")
    for name, line, word, instead, _ in found[:SHOWN]:
        print(f"{name}:{line}: '{word}': write {instead}")
    unused = [exception for exception in exceptions if not exception[2]]
    for path, pattern, _ in unused:
        print(f"{EXCEPTIONS.name}: nothing matches {path} | {pattern.pattern}")
    print(f"{len(found)} words, {len(unused)} unused exceptions")
    sys.exit(1 if found or unused else 0)


main()
