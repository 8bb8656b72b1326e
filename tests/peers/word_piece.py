#!/usr/bin/env python3
"""Compares the tokenizer word_piece with BERT's of the package tokenizers: ids of 10,000 lines of text
and of 2,000 lines of all assigned code points, combining and control characters, ideographs, long
words and special tokens. Code points that have other properties in the package's older Unicode data than in
Python's are counted, but not compared.

usage: word_piece.py TEST_TEXT MIRROR    TEST_TEXT: build/release/tests/test_text
requires the package tokenizers, and models/all-minilm-l6-v2 and texts in the mirror
"""
import gzip
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import unicodedata

TEXTS = ["news/fnc1_sentences.txt.gz", "news/lm1b.heldout10-11.txt.gz", "literature/modern.txt.gz",
         "wikitext-2/wiki.valid.raw.gz", "quora/test.tsv.gz", "senteval/MR.txt.gz", "senteval/CR.txt.gz"]
LINES = 10000
HOSTILE = 2000


def is_older(tokenizers, c):
    """Whether the package's Unicode data (version 8.0) has another kind of character than Python's."""
    character = chr(c)
    category = unicodedata.category(character)
    parts = [unicodedata.category(part) for part in unicodedata.normalize("NFD", character)]
    removed = category in ("Cc", "Cf", "Co") and character not in "\t\n\r" or all(part == "Mn" for part in parts)
    text = tokenizers.normalizers.BertNormalizer().normalize_str(f"a{character}b")
    words = tokenizers.pre_tokenizers.BertPreTokenizer().pre_tokenize_str(f"a{character}b")
    is_word = category[0] == "P" or c < 128 and category[0] == "S"
    return removed != (text == "ab") or is_word != (len(words) == 3)


def text_lines(mirror, count):
    names = [name for name in TEXTS if (mirror / name).exists()]
    each = -(-count // len(names))
    lines = []
    for name in names:
        some = gzip.open(mirror / name, "rt", errors="replace", newline="\n").read().split("\n")
        lines += some[:: max(1, len(some) // each)][:each]
    return lines[:count]


def hostile(tokenizers, count):
    """All assigned code points in a random order, alone, in words and after blanks; then random
    strings of awkward characters."""
    assigned = [c for c in range(0x110000) if unicodedata.category(chr(c)) not in ("Cn", "Cs")]
    points = [c for c in assigned if not is_older(tokenizers, c)]
    print(f"{len(assigned) - len(points):,} code points have other properties in the package's older Unicode data and "
          "are not compared")
    random.shuffle(points)
    lines = []
    size = -(-len(points) // (count // 2))
    for begin in range(0, len(points), size):
        lines.append("".join(random.choice(["", " ", "a", "un"]) + chr(c) for c in points[begin:begin + size]))
    awkward = ["\u0301", "\u0327", "\u0130", "\u03a3", "\u00df", "\ufb01", "\u1e9e", "\u01c5", "e\u0301", "\u212b", "\uac01",
               "\u3042", "\u4f60", "\u9fff", "\U00020000", "\U0002b81f", "\uf900", "\u2f00", "\U0001f600",
               "\U0001f468\u200d\U0001f469", "\ufeff", "\u200b", "\u00ad", "\x00", "\x07", "\x0b", "\x0c", "\x1c", "\x85", "\u2028",
               "\u3000", "\xa0", " ", "\t", "\r", "a" * 99, "b" * 101, "[SEP]", "[MASK]", "[CLS", "##", "$", "^", "`", "\u2019",
               "\u00bf", "don't", "3.14", "\ufffd", "Running", "UNAFFABLE"]
    while len(lines) < count:
        lines.append("".join(random.choices(awkward, k=random.randint(1, 30))))
    return lines


def main():
    test, mirror = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    import tokenizers

    random.seed(1)
    folder = mirror / "models" / "all-minilm-l6-v2"
    peer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    peer.no_truncation()
    peer.no_padding()
    lines = text_lines(mirror, LINES) + hostile(tokenizers, HOSTILE)
    with tempfile.TemporaryDirectory() as scratch:
        cases = pathlib.Path(scratch) / "cases"
        with open(cases, "w") as file:
            for line in lines:
                print(json.dumps({"text": line, "ids": peer.encode(line, add_special_tokens=False).ids}), file=file)
        print(f"{len(lines):,} lines; tokenizers {tokenizers.__version__}", flush=True)
        environment = {**os.environ, "LVTEXT_PEER_CASES": str(cases),
                       "LVTEXT_PEER_VOCABULARY": str(folder / "vocab.txt")}
        done = subprocess.run([test, "word piece: ids of a reference"], env=environment)
        sys.exit(done.returncode)


main()
