"""The peer of gpt2.py: Hugging Face's GPT2LMHeadModel.

    peer_gpt2.py prepare FOLDER LAYERS HEADS WIDTH POSITIONS VOCABULARY BATCH LENGTH [BATCHES]
    peer_gpt2.py weights FOLDER [NAME...]
    peer_gpt2.py compare FOLDER
    peer_gpt2.py trained FOLDER RUN STEP DATASET
    peer_gpt2.py serve FOLDER       commands: steps N, generate ROWS LENGTH, memory

`prepare` writes a model with random weights, large enough that scores differ, and texts: in
transformers' format, and for lvtext. `weights` writes lvtext's weights again, the matrices NAME
without transpose. `compare` prints the largest difference of the scores that lvtext wrote.
`trained` writes the weights and 64 blocks of four of a finished training.
"""

import json
import sys
import time
from pathlib import Path

import torch
from gpt2_names import ours_of
from safetensors.torch import load_file, save_file
from transformers import GPT2Config, GPT2LMHeadModel
from transformers.utils import logging

logging.set_verbosity_error()
PROMPT = 16


def memory(field):
    """Returns a field of /proc/self/status in MiB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return float(line.split()[1]) / 1024
    raise RuntimeError(f"/proc/self/status has no {field}")


def prepare(folder, layers, heads, width, positions, vocabulary, batch, length, batches=4):
    folder.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(7)
    config = GPT2Config(vocab_size=vocabulary, n_positions=positions, n_embd=width, n_layer=layers,
                        n_head=heads, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
                        bos_token_id=None, eos_token_id=None)
    model = GPT2LMHeadModel(config)
    with torch.no_grad():
        for value in model.parameters():
            value.add_(torch.randn_like(value), alpha=0.02)
    model.save_pretrained(folder / "peer")
    save_file(ours_of(model.state_dict(), layers), folder / "weights.safetensors")
    ids = torch.randint(0, vocabulary, (batches, batch, length))
    prompts = torch.randint(0, vocabulary, (16, min(PROMPT, positions)))
    save_file({"blocks": ids, "prompts": prompts}, folder / "texts.safetensors")


def load(folder):
    return GPT2LMHeadModel.from_pretrained(folder / "peer", attn_implementation="sdpa")


def write_weights(folder, kept_as_is):
    model = load(folder)
    save_file(ours_of(model.state_dict(), model.config.n_layer, kept_as_is),
              folder / "weights.safetensors")


def compare(folder):
    prompts = load_file(folder / "texts.safetensors")["prompts"]
    with torch.no_grad():
        expected = load(folder).eval()(prompts).logits[:, :-1].flatten(0, 1)
    found = load_file(folder / "scores.safetensors")["scores"]
    print(json.dumps({"difference": (found - expected).abs().max().item(),
                      "spread": expected.std().item()}), flush=True)


def write_trained(folder, run, step, dataset):
    folder.mkdir(parents=True, exist_ok=True)
    weights = load_file(Path(run) / "snapshots" / f"step-{int(step):08}" / "model.safetensors")
    save_file(weights, folder / "weights.safetensors")
    columns = load_file(Path(dataset) / "dataset.safetensors")
    length = int(columns["text.offsets"][1])
    blocks = columns["text"][:64 * 4 * length].long().view(64, 4, length)
    save_file({"blocks": blocks, "prompts": blocks[:4, :, :PROMPT].flatten(0, 1).contiguous()},
              folder / "texts.safetensors")


def serve(folder):
    before = memory("VmRSS")
    model = load(folder)
    texts = load_file(folder / "texts.safetensors")
    blocks, optimizer, done = texts["blocks"], None, 0
    for line in sys.stdin:
        command, *numbers = line.split()
        wall, cpu = time.monotonic(), time.process_time()
        answer = {}
        if command == "steps":
            optimizer = optimizer or torch.optim.AdamW(model.parameters(), lr=6.25e-5,
                                                       weight_decay=0.01, fused=True)
            model.train()
            for _ in range(int(numbers[0])):
                ids = blocks[done % len(blocks)]
                done += 1
                loss = model(ids, labels=ids).loss
                loss.backward()
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad()
            answer = {"tokens": int(numbers[0]) * blocks[0].numel(), "loss": loss.item()}
        elif command == "generate":
            rows, length = map(int, numbers)
            model.eval()
            prompts = texts["prompts"][:rows]
            with torch.no_grad():
                model.generate(prompts, attention_mask=torch.ones_like(prompts), do_sample=True,
                               top_p=0.9, top_k=0, max_new_tokens=length,
                               pad_token_id=0)
            answer = {"tokens": rows * length}
        elif command == "memory":
            answer = {"before": before, "peak": memory("VmHWM")}
        answer |= {"seconds": time.monotonic() - wall, "cpu": time.process_time() - cpu}
        print(json.dumps(answer), flush=True)


def main():
    command, folder, *rest = sys.argv[1:]
    folder = Path(folder)
    if command == "prepare":
        prepare(folder, *map(int, rest))
    elif command == "weights":
        write_weights(folder, rest)
    elif command == "compare":
        compare(folder)
    elif command == "trained":
        write_trained(folder, *rest)
    else:
        serve(folder)


if __name__ == "__main__":
    main()
