#!/usr/bin/env python3
"""Images from files to datasets: at most twice their bytes of memory above the program's own, and three times
of disk. usage: image_memory.py LVTEXT [COUNT]

Draws COUNT (3,307) gray PNG files of 304 x 304 pixels. The program's own memory is that of the same nodes for 30 images.
"""

import hashlib
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import zlib

LVTEXT = pathlib.Path(sys.argv[1]).resolve()
COUNT = int(sys.argv[2]) if len(sys.argv) > 2 else 3307
SIZE, FEW = 304, 30

MANIFEST = """name: drawn-images
title: "images that this test draws"
license: "none"
citation: "none"
fields: [image, captions, group, labels, view]
use: [image, captions]
reader: {type: image_list, path: path, sha256: sha256, group: patient, labels: labels, view: view, size: %d}
splits: {group: group, valid_share: 0.1, dedupe: false}
records: {pool: %d}
files:
  - {role: pool, path: list.tsv, bytes: %d, lines: %d, sha256: %s, urls: []}
"""
RECIPE = """lvtext: 1
recipe: tests/images
data:
  images: {set: drawn-images, tokenizer: words, pack: {type: captions, max_words: 8}}
rows: {real: {drawn: images.train}}
evaluate: {spread: {evaluator: image_spread, inputs: {drawn: row.drawn, real: images.valid}}}
"""


def chunk(kind, content):
    return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))


def png(chance):
    """A gray picture: one line of noise, moved from row to row."""
    line = chance.randbytes(SIZE)
    rows = b"".join(b"\0" + line[i:] + line[:i] for i in range(SIZE))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", SIZE, SIZE, 8, 0, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b""))


def measure(folder, count):
    """Returns the peak memory of the program, and the bytes of its results."""
    folder.mkdir()
    mirror = folder / "mirror"
    mirror.mkdir()
    (folder / "data").mkdir()
    chance = random.Random(1)
    lines = ["path\tsha256\tpatient\tlabels\tview\n"]
    for i in range(count):
        picture = png(chance)
        (mirror / f"{i}.png").write_bytes(picture)
        label = chance.choice(["edema", "mass", "nodule"])
        lines.append(f"{i}.png\t{hashlib.sha256(picture).hexdigest()}\t{i}\t{label}\tAP\n")
    text = "".join(lines).encode()
    (mirror / "list.tsv").write_bytes(text)
    (folder / "data/drawn-images.yaml").write_text(
        MANIFEST % (SIZE, count, len(text), count + 1, hashlib.sha256(text).hexdigest()))
    (folder / "images.yaml").write_text(RECIPE)
    child = subprocess.Popen([LVTEXT, "reproduce", "images.yaml", "--workers", "1", "--mirror", mirror], cwd=folder,
                             stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"lvtext: status {status}")
    return 1024 * usage.ru_maxrss, sum(file.stat().st_size for file in folder.glob("runs/**/*") if file.is_file())


with tempfile.TemporaryDirectory() as scratch:
    own, _ = measure(pathlib.Path(scratch) / "few", FEW)
    peak, disk = measure(pathlib.Path(scratch) / "many", COUNT)
    pixels = COUNT * SIZE * SIZE
    print(f"{COUNT} images of {pixels / 2**20:.0f} MiB: {(peak - own) / pixels:.2f} times their bytes of memory above "
          f"{own / 2**20:.0f} MiB, {disk / pixels:.2f} times of disk")
    if peak - own > 2 * pixels or disk > 3 * pixels:
        sys.exit("at most twice their bytes of memory and three times of disk are allowed")
