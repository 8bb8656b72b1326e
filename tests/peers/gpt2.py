#!/usr/bin/env python3
"""Compares the logits of imported GPT-2 weights with those of GPT2LMHeadModel of the package transformers, for random
weights of three sizes: as the package saves them, with the prefix "transformer." and mask buffers, and with the prefix
only. Our export of the same weights is read by the package and must give its logits again.

usage: gpt2.py TEST_STORE    TEST_STORE: build/release/tests/test_store
requires the packages torch, transformers and safetensors
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import torch
from safetensors.torch import load_file, save_file
from transformers import GPT2Config, GPT2LMHeadModel

# layers, heads, width, positions, vocabulary, form of the file
SIZES = [(1, 2, 8, 16, 50, "plain"), (3, 4, 32, 40, 300, "masks"), (2, 12, 768, 64, 1000, "prefix")]
TOLERANCE = 1e-5


def weights_of(model, form):
    tensors = {name: value.detach().clone().contiguous() for name, value in model.state_dict().items()}
    if form == "plain":  # as the files of the hub
        tensors = {name.removeprefix("transformer."): value for name, value in tensors.items()
                   if name != "lm_head.weight"}
    if form == "masks":  # as earlier versions of the package
        config = model.config
        for layer in range(config.n_layer):
            mask = torch.tril(torch.ones(config.n_positions, config.n_positions, dtype=torch.uint8))
            tensors[f"transformer.h.{layer}.attn.bias"] = mask[None, None].clone()
            tensors[f"transformer.h.{layer}.attn.masked_bias"] = torch.tensor(-1e4)
    return tensors


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    torch.manual_seed(7)
    worst = 0
    for layers, heads, width, positions, vocabulary, form in SIZES:
        config = GPT2Config(vocab_size=vocabulary, n_positions=positions, n_embd=width, n_layer=layers, n_head=heads)
        model = GPT2LMHeadModel(config).eval()
        with torch.no_grad():
            for parameter in model.parameters():
                parameter += 0.1 * torch.randn_like(parameter) * (8 / width) ** 0.5
        ids = torch.randint(vocabulary, (3, positions))
        with torch.no_grad():
            expected = model(ids).logits
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            save_file(weights_of(model, form), folder / "model.safetensors")
            save_file({"ids": ids}, folder / "ids.safetensors")
            options = {"layers": layers, "heads": heads, "width": width, "positions": positions}
            (folder / "options.json").write_text(json.dumps({"model": options, "vocabulary": vocabulary}))
            subprocess.run([sys.argv[1], "published: the GPT-2 of a folder"], check=True, stdout=subprocess.DEVNULL,
                           env={**os.environ, "LVTEXT_GPT2": name})
            ours = load_file(folder / "logits.safetensors")["logits"]
            again = GPT2LMHeadModel.from_pretrained(folder / "exported").eval()
            with torch.no_grad():
                exported = again(ids).logits
        for what, logits in (("imported", ours), ("exported", exported)):
            difference = (logits - expected).abs().max().item()
            worst = max(worst, difference)
            print(f"{layers} layers of {width}, {form}, {what}: largest difference {difference:.1e}, logits up to "
                  f"{expected.abs().max().item():.1f}")
    print(f"allowed: {TOLERANCE:.0e}")
    sys.exit(1 if not worst <= TOLERANCE else 0)


main()
