#!/usr/bin/env python3
"""Compares the vectors of the imported all-MiniLM-L6-v2 with those of the package sentence-transformers:
real lines, a line above the limit of 256 tokens, one-token lines and hostile Unicode. The weights are
imported by a recipe from the mirror, exported with `checkpoint export` and used by `encode`.

usage: sbert.py LVTEXT MIRROR    LVTEXT: build/release/lvtext
requires the package sentence-transformers, and models/all-minilm-l6-v2 and texts in the mirror
"""
import gzip
import os
import pathlib
import subprocess
import sys
import tempfile

TEXTS = ["news/fnc1_sentences.txt.gz", "literature/modern.txt.gz", "quora/test.tsv.gz", "senteval/MR.txt.gz"]
EACH = 100
TOLERANCE = 1e-5
RECIPE = """
lvtext: 1
recipe: peers/sbert
data: {{train: {lines}, tokenizer: {{type: words, min_count: 1}}}}
artifacts:
  minilm:
    import: sbert
    weights: {{set: all-minilm-l6-v2, file: model.safetensors}}
    data: {{tokenizer: {{type: word_piece, file: {{set: all-minilm-l6-v2, file: vocab.txt}}}}}}
rows: {{lines: {{label: "lines", outputs: data.test}}}}
evaluate:
  distance: {{evaluator: frechet, inputs: {{encoder: minilm, samples: data.valid, references: data.test}}}}
table: {{columns: [distance]}}
"""


def lines_of(mirror):
    lines = []
    for name in TEXTS:
        all_lines = gzip.open(mirror / name, "rt", errors="replace", newline="\n").read().split("\n")
        lines += all_lines[:: len(all_lines) // EACH][:EACH]
    lines = [line.replace("\r", " ") for line in lines if line.strip()]
    return lines + ["a long line " * 200, "a", ".", "\u4f60\u597d Caf\u00e9 e\u0301 \u0130 \U0001f600", "[SEP] x"]


def main():
    lvtext, mirror = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    os.environ["HF_HUB_OFFLINE"] = "1"
    import numpy
    import sentence_transformers
    from sentence_transformers import models

    lines = lines_of(mirror)
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        (scratch / "lines.txt").write_text("\n".join(lines) + "\n")
        (scratch / "recipe.yaml").write_text(RECIPE.format(lines=scratch / "lines.txt"))
        runs = scratch / "runs"

        def run(*arguments):
            subprocess.run([lvtext, *arguments], check=True, stdout=subprocess.DEVNULL)

        run("reproduce", scratch / "recipe.yaml", "--out", runs, "--report", scratch / "report", "--mirror", mirror)
        imported = next(path for path in runs.glob("peers.minilm.*") if (path / "node.json").exists())
        run("checkpoint", "export", imported, "--output", scratch / "exported", "--out", runs)
        run("encode", scratch / "exported", "--input", scratch / "lines.txt", "--output", scratch / "vectors.txt")
        ours = numpy.loadtxt(scratch / "vectors.txt")
    encoder = models.Transformer(str(mirror / "models" / "all-minilm-l6-v2"), max_seq_length=256)
    pooling = models.Pooling(384, pooling_mode="mean")
    peer = sentence_transformers.SentenceTransformer(modules=[encoder, pooling, models.Normalize()], device="cpu")
    theirs = peer.encode(lines, convert_to_numpy=True)
    difference = numpy.abs(ours - theirs).max()
    print(f"{len(lines)} lines; sentence-transformers {sentence_transformers.__version__}; largest difference "
          f"{difference:.1e} (allowed: {TOLERANCE:.0e})")
    sys.exit(1 if difference > TOLERANCE else 0)


main()
