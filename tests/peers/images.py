#!/usr/bin/env python3
"""Compares decoding and resizing of images with Pillow, on all real radiographs of the mirror: the pixels of each PNG
file, which must be equal, and of its reduction to 76 x 76 with BILINEAR, which may differ by one level.

usage: images.py TEST_SOURCES MIRROR    TEST_SOURCES: build/release/tests/test_sources
requires the package pillow, and the radiographs in the mirror (data/nih-1000.yaml)
"""
import os
import pathlib
import subprocess
import sys
import tempfile

import PIL
from PIL import Image

FOLDER = "cxr/images"
SIZE = 76


def planes(image):
    """The bytes [channels, rows, columns] of an image."""
    return b"".join(channel.tobytes() for channel in image.split())


def write_cases(names, folder):
    """Writes a line "channels rows columns size file" for each image to `list`, and its pixels, then those of its
    reduction, to `pixels`."""
    with open(folder / "list", "w") as lines, open(folder / "pixels", "wb") as pixels:
        for name in names:
            with Image.open(name) as image:
                assert image.mode in ("L", "RGB"), f"{name} has the mode {image.mode}"
                print(len(image.getbands()), image.height, image.width, SIZE, name, file=lines)
                pixels.write(planes(image))
                pixels.write(planes(image.resize((SIZE, SIZE), Image.Resampling.BILINEAR)))


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    mirror = pathlib.Path(sys.argv[2]).resolve()
    names = sorted((mirror / FOLDER).rglob("*.png"))
    listed = {mirror / "cxr" / line.split("\t")[0] for line in (mirror / "cxr/nih.tsv").read_text().splitlines()[1:]}
    assert listed <= set(names), "images of nih.tsv are missing"
    with tempfile.TemporaryDirectory() as folder:
        write_cases(names, pathlib.Path(folder))
        print(f"{len(names)} files, {len(listed)} of them in nih-1000; Pillow {PIL.__version__}", flush=True)
        done = subprocess.run([sys.argv[1], "images: radiographs have the pixels of a reference"],
                              env={**os.environ, "LVTEXT_PEER_IMAGES": folder})
    sys.exit(done.returncode)


main()
