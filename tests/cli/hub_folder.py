#!/usr/bin/env python3
"""Turns a folder of `checkpoint export --published` into one that lvtext has not written: without its own key, and with
the tokenizer's files of the package transformers.

usage: hub_folder.py FOLDER
"""
import json
import pathlib
import sys


def byte_symbols():
    """GPT-2's bytes_to_unicode, in the order of the ids."""
    shown = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAC + 1), *range(0xAE, 0xFF + 1)]
    others = [byte for byte in range(256) if byte not in shown]
    return [chr(byte) for byte in shown] + [chr(256 + i) for i in range(len(others))]


def main():
    folder = pathlib.Path(sys.argv[1])
    config = json.loads((folder / "config.json").read_text())
    for key in ("lvtext", "schema"):
        config.pop(key)
    (folder / "config.json").write_text(json.dumps(config))
    own = json.loads((folder / "byte_bpe.json").read_text())
    (folder / "byte_bpe.json").unlink()
    (folder / "merges.txt").write_text("\n".join(["#version: 0.2", *own["merges"]]) + "\n")
    tokens = list(dict.fromkeys(byte_symbols() + [merge.replace(" ", "") for merge in own["merges"]])) + own["added"]
    (folder / "vocab.json").write_text(json.dumps({token: i for i, token in enumerate(tokens)}))
    special = {f"{key}_token": own[key] for key in ("bos", "eos", "pad") if key in own}
    (folder / "special_tokens_map.json").write_text(json.dumps(special))


main()
