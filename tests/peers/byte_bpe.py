#!/usr/bin/env python3
"""Compares the tokenizer byte_bpe with GPT-2's of the package transformers: ids and round trip of
10,000 lines of text, of all assigned code points, of control characters, blanks and invalid bytes.
Code points that Python's Unicode version does not assign are listed, but not compared: ours may have other data.

usage: byte_bpe.py TEST_TEXT MIRROR    TEST_TEXT: build/release/tests/test_text
requires the package transformers, and gpt2-bpe and texts in the mirror (data/*.yaml)
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

TEXTS = ["wikitext-2/wiki.test.tokens.gz", "wikitext-2/wiki.valid.raw.gz", "literature/modern.txt.gz",
         "news/fnc1_sentences.txt.gz", "news/brown.tokens.txt.gz"]
LINES = 10000
SHOWN = 20  # ranges of code points


def text_lines(mirror, count):
    each = -(-count // len(TEXTS))
    for name in TEXTS:
        lines = gzip.open(mirror / name, "rt", newline="\n").read().split("\n")
        yield from (line + "\n" for line in lines[:: max(1, len(lines) // each)][:each])


def code_points(count):
    """All assigned code points of Python's Unicode version in a random order, alone and after a
    blank."""
    points = [c for c in range(0x110000) if unicodedata.category(chr(c)) not in ("Cn", "Cs")]
    random.shuffle(points)
    size = -(-len(points) // count)
    for begin in range(0, len(points), size):
        yield "".join(random.choice(["", " ", "a", "1"]) + chr(c) for c in points[begin : begin + size])


def unassigned():
    """The ranges of code points that Python's Unicode version does not assign: (first, last)."""
    ranges = []
    for c in range(0x110000):
        if unicodedata.category(chr(c)) != "Cn":
            continue
        if ranges and ranges[-1][1] == c - 1:
            ranges[-1][1] = c
        else:
            ranges.append([c, c])
    return ranges


def blanks(count):
    characters = [" ", "  ", "\t", "\n", "\r\n", "\x0b", "\x0c", "\x1c", "\x85", "\xa0", "\u2003", "\u3000",
                  "\x00", "\x07", "\x7f", "\u200b", "\ufeff", "a", "'s", "'LL", "1", "."]
    for _ in range(count):
        yield "".join(random.choices(characters, k=random.randint(1, 30)))


def invalid(count):
    for _ in range(count):
        yield bytes(random.choices([0x20, 0x41, 0x80, 0xBF, 0xC3, 0xE4, 0xF0, 0xFF], k=random.randint(1, 30)))


def is_utf8(data):
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def main():
    test, mirror = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    import transformers

    random.seed(1)
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        for name, to in ("encoder.json.gz", "vocab.json"), ("vocab.bpe.gz", "merges.txt"):
            (scratch / to).write_bytes(gzip.open(mirror / "gpt2-bpe" / name).read())
        peer = transformers.GPT2Tokenizer.from_pretrained(scratch)
        lines = [line.encode() for line in [*code_points(2500), *blanks(1000)]]
        bad = list(invalid(500))
        lines += [line.encode() for line in text_lines(mirror, LINES - len(lines) - len(bad))]
        lines = lines[: LINES - len(bad)]
        with open(scratch / "cases", "w") as file:
            for line in lines + bad:
                ids = None  # the peer reads characters: of other bytes only the round trip is compared
                if is_utf8(line):
                    ids = peer.encode(line.decode(), add_special_tokens=False)
                    back = peer.decode(ids, clean_up_tokenization_spaces=False)
                    assert back.encode() == line, line
                print(json.dumps({"text": line.hex(), "ids": ids}), file=file)
        print(f"{len(lines) + len(bad)} lines, {len(bad)} of them of invalid bytes; transformers "
              f"{transformers.__version__}")
        left = unassigned()
        shown = ", ".join(f"U+{first:04X}" + (f" to U+{last:04X}" if last > first else "")
                          for first, last in left[:SHOWN])
        print(f"not compared: {sum(last - first + 1 for first, last in left):,} code points in {len(left)} ranges that "
              f"Unicode {unicodedata.unidata_version}, Python's version, does not assign, the first {SHOWN} of them: "
              f"{shown}", flush=True)
        environment = {**os.environ, "LVTEXT_PEER_CASES": str(scratch / "cases"),
                       "LVTEXT_PEER_MERGES": str(scratch / "merges.txt")}
        done = subprocess.run([test, "byte bpe: ids and round trip of a reference"], env=environment)
        sys.exit(done.returncode)


main()
