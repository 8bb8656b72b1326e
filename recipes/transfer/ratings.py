#!/usr/bin/env python3
"""Writes the crowd ratings of Li et al. 2018 as JSON lines, one record for each rated output.

    ratings.py FOLDER OUT.jsonl

FOLDER is a clone of https://github.com/lijuncen/Sentiment-and-Style-Transfer: its file
`ratings-yelp.csv` has 400 assignments that rate 8 outputs each, and `yelp/sentiment.test.0.mit` and
the like have the outputs of the systems (source TAB output). The files are searched for in all
subfolders; `ratings-yelp.csv.gz` and the names of the mirror's files, `CrossAligned.0.tsv` and the
like, are found as well.

A record has the numbers `grammaticality`, `sentiment` (how well the output has the target style)
and `topic` (how well it preserves the content), from 1 to 5, and the texts
- `source`, `text`: the sentence and the rated output;
- `target`: the target style, negative or positive;
- `judged`: the style that the raters see: `target` if `sentiment` is 4 or 5, the other one if it is
  1 or 2, otherwise `undecided`;
- `system`: the first of SYSTEMS with this output for this source; the human rewrite only if no
  system has the same output.
"""
import csv
import gzip
import json
import pathlib
import re
import sys

# System and the ending of its files in the repository.
SYSTEMS = {"CrossAligned": "mit", "StyleEmbedding": "fader", "MultiDecoder": "multi_decoder",
           "TemplateBased": "rule_base", "DeleteOnly": "label", "DeleteAndRetrieve": "orgin",
           "RetrieveOnly": "retrieval", "Human": "human"}
QUESTIONS = ["grammaticality", "sentiment", "topic"]
OUTPUTS = 8


def found(folder, *names):
    for name in names:
        for file in sorted(folder.rglob(name)):
            return file
    sys.exit(f"{folder}: there is no {' or '.join(names)}")


def joined(source, output):
    return source.strip().lower(), output.strip().lower()


def systems_of_outputs(folder):
    systems = {}
    for system, ending in SYSTEMS.items():
        for style in "01":
            path = found(folder, f"yelp/sentiment.test.{style}.{ending}", f"{system}.{style}.tsv")
            with path.open(encoding="utf-8") as file:
                for line in file:
                    source, output = line.rstrip("\n").split("\t")[:2]
                    systems.setdefault(joined(source, output), snake(system))
    return systems


def snake(name):
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


def judged_style(target, sentiment):
    if sentiment == 3:
        return "undecided"
    other = {"negative": "positive", "positive": "negative"}[target]
    return target if sentiment > 3 else other


def answers_of(row, k):
    """The numbers of output k, from one column for all outputs or one for each."""
    if "Answer.responses" in row:
        parts = row["Answer.responses"].split("\t")[k].split()
    else:
        parts = [row[f"Answer.{question}-{k}"] for question in QUESTIONS]
    values = dict(part.split("=") for part in parts)
    return {question: int(values[question]) for question in QUESTIONS}


def records(folder):
    systems = systems_of_outputs(folder)
    file = found(folder, "ratings-yelp.csv", "ratings-yelp.csv.gz")
    opened = gzip.open(file, "rt", encoding="utf-8") if file.suffix == ".gz" else \
        file.open(encoding="utf-8")
    with opened as lines:
        for row in csv.DictReader(lines):
            sources, outputs = row["Input.origs"].split("\t"), row["Input.mods"].split("\t")
            if len(sources) != OUTPUTS or len(outputs) != OUTPUTS:
                sys.exit(f"{file}: {row['Input.id']} has {len(outputs)} outputs, not {OUTPUTS}")
            for k, (source, output) in enumerate(zip(sources, outputs)):
                answers = answers_of(row, k)
                if joined(source, output) not in systems:
                    sys.exit(f"{file}: no system has the output {output!r} of {row['Input.id']}")
                yield {"source": source.strip(), "text": output.strip(),
                       "target": row["Input.target"],
                       "judged": judged_style(row["Input.target"], answers["sentiment"]),
                       "system": systems[joined(source, output)], **answers}


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    folder, out = map(pathlib.Path, sys.argv[1:])
    counts = {}
    with out.open("w", encoding="utf-8") as file:
        for record in records(folder):
            counts[record["system"]] = counts.get(record["system"], 0) + 1
            print(json.dumps(record, ensure_ascii=False), file=file)
    for system, count in sorted(counts.items()):
        print(f"{count:5} {system}")
    print(f"{sum(counts.values()):5} records in {out}")


if __name__ == "__main__":
    main()
