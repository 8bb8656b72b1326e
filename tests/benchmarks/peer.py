"""The peer: configuration A in plain PyTorch, written as in its documentation.

    peer.py train FOLDER fixed|real random|sorted fp32|bf16  commands: steps N, loss, memory
    peer.py decode FOLDER fixed|real                 commands: decode FROM COUNT
    peer.py start FOLDER                             one training step from nothing

Reads the files written by `lvtext_benchmarks prepare`, so that both sides have the same data and
the same initial parameters. Answers one JSON line per command.
"""

import json
import sys
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from torch import nn

PAD, BOS, EOS = 0, 1, 2
VOCABULARY, HIDDEN, LATENT, BATCH, DECODE_BATCH, FIXED_LENGTH = 8000, 512, 100, 64, 512, 20


def memory(field):
    """Returns a field of /proc/self/status in MiB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return float(line.split()[1]) / 1024
    raise RuntimeError(f"/proc/self/status has no {field}")


class Autoencoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, HIDDEN)
        self.encoder = nn.LSTM(HIDDEN, HIDDEN, batch_first=True)
        self.to_latent = nn.Linear(HIDDEN, LATENT)
        self.decoder = nn.LSTM(HIDDEN + LATENT, HIDDEN, batch_first=True)
        self.output = nn.Linear(HIDDEN, VOCABULARY)

    def load(self, file):
        """Loads the parameters of an lvtext model, where the columns for z are a separate tensor."""
        ours = load_file(file)
        names = {"embedding.weight": ours["embedding.weight"]}
        for part, lstm in (("encoder", "encoder.lstm."), ("decoder", "decoder.lstm.")):
            for name in ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"):
                names[f"{part}.{name}"] = ours[lstm + name]
        names["decoder.weight_ih_l0"] = torch.cat(
            [names["decoder.weight_ih_l0"], ours["decoder.z_weight"]], 1)
        for name in ("weight", "bias"):
            names[f"to_latent.{name}"] = ours[f"to_latent.{name}"]
            names[f"output.{name}"] = ours[f"decoder.output.{name}"]
        self.load_state_dict(names)

    def loss(self, ids, lengths):
        """Returns the sum of the negative log-likelihood of ids [B, T] (padded), including EOS."""
        rows = torch.arange(ids.size(0))
        states, _ = self.encoder(self.embedding(ids))
        z = self.to_latent(states[rows, lengths - 1])
        inputs = F.pad(ids, (1, 0), value=BOS)
        targets = F.pad(ids, (0, 1), value=PAD)
        targets[rows, lengths] = EOS
        words = self.embedding(inputs)
        states, _ = self.decoder(
            torch.cat([words, z.unsqueeze(1).expand(-1, words.size(1), -1)], 2))
        logits = self.output(states)
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=PAD,
                               reduction="sum")


class Corpus:
    def __init__(self, file):
        tensors = load_file(file)
        ids, offsets = tensors["ids"].long(), tensors["offsets"].tolist()
        self.sentences = [ids[a:b] for a, b in zip(offsets, offsets[1:])]

    def batch(self, rows):
        sentences = [self.sentences[row] for row in rows]
        lengths = torch.tensor([len(sentence) for sentence in sentences])
        return nn.utils.rnn.pad_sequence(sentences, batch_first=True, padding_value=PAD), lengths

    def batches(self, how):
        """Yields indices of batches indefinitely: random batches, or batches of sentences sorted by
        length."""
        while True:
            if how == "random":
                order = torch.randperm(len(self.sentences)).tolist()
                yield from (order[i:i + BATCH] for i in range(0, len(order), BATCH))
            else:
                order = sorted(range(len(self.sentences)), key=lambda i: len(self.sentences[i]))
                parts = [order[i:i + BATCH] for i in range(0, len(order), BATCH)]
                yield from (parts[i] for i in torch.randperm(len(parts)).tolist())


def make_optimizer(model):
    # The fused kernel is the fastest one that PyTorch documents.
    return torch.optim.Adam(model.parameters(), lr=5e-4, betas=(0.5, 0.999), fused=True)


def train_step(model, optimizer, ids, lengths, precision):
    optimizer.zero_grad()
    with torch.autocast("cpu", torch.bfloat16, enabled=precision == "bf16"):
        loss = model.loss(ids, lengths) / len(lengths)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 5.0)
    optimizer.step()
    loss.item()  # every trainer looks at its loss


def serve_training(folder, corpus, how, precision):
    before = memory("VmRSS")
    model = Autoencoder()
    model.load(folder / "weights.safetensors")
    optimizer = make_optimizer(model)
    data, held_out = Corpus(folder / f"{corpus}.safetensors"), Corpus(folder / "held_out.safetensors")
    given = load_file(folder / f"{corpus}.given.safetensors")["rows"].tolist()

    def order():
        yield from given
        yield from data.batches(how)

    rows = order()
    for line in sys.stdin:
        command, *count = line.split()
        if command == "steps":
            wall, cpu, tokens = time.monotonic(), time.process_time(), 0
            for _ in range(int(count[0])):
                ids, lengths = data.batch(next(rows))
                train_step(model, optimizer, ids, lengths, precision)
                tokens += int(lengths.sum()) + len(lengths)
            answer = {"seconds": time.monotonic() - wall, "cpu": time.process_time() - cpu,
                      "tokens": tokens}
        elif command == "loss":
            total = 0.0
            with torch.no_grad():
                for i in range(0, len(held_out.sentences), BATCH):
                    part = range(i, min(i + BATCH, len(held_out.sentences)))
                    total += model.loss(*held_out.batch(part)).item()
            answer = {"loss": total / len(held_out.sentences)}
        else:
            answer = {"before": before, "peak": memory("VmHWM")}
        print(json.dumps(answer), flush=True)


@torch.no_grad()
def decode(model, cell, codes, longest):
    """Decodes one batch greedily, until all sentences have ended."""
    rows = len(codes)
    state = torch.zeros(rows, HIDDEN), torch.zeros(rows, HIDDEN)
    ids = torch.full((rows,), BOS)
    ended = torch.zeros(rows, dtype=torch.bool)
    columns = []
    for _ in range(longest):
        state = cell(torch.cat([model.embedding(ids), codes], 1), state)
        logits = model.output(state[0])
        logits[:, :EOS] = -torch.inf  # padding and BOS are never written
        ids = logits.argmax(1)
        ended |= ids == EOS
        columns.append(ids)
        if ended.all():
            break
    sentences = torch.stack(columns, 1).tolist()
    return [ids[:ids.index(EOS)] if EOS in ids else ids for ids in sentences]


def serve_decoding(folder, lengths):
    model = Autoencoder().eval()
    model.load(folder / "decode.safetensors")
    cell = nn.LSTMCell(HIDDEN + LATENT, HIDDEN)
    cell.load_state_dict({name.removesuffix("_l0"): value
                          for name, value in model.decoder.state_dict().items()})
    codes = load_file(folder / "codes.safetensors")[lengths]
    for line in sys.stdin:
        _, start, count = line.split()
        start, count = int(start), int(count)
        wall, cpu, sentences = time.monotonic(), time.process_time(), []
        for i in range(start, start + count, DECODE_BATCH):
            sentences += decode(model, cell, codes[i:min(i + DECODE_BATCH, start + count)],
                                FIXED_LENGTH if lengths == "fixed" else 200)
        print(json.dumps({"seconds": time.monotonic() - wall, "cpu": time.process_time() - cpu,
                          "sentences": count, "ids": sentences}), flush=True)


def first_step(folder):
    model = Autoencoder()
    optimizer = make_optimizer(model)
    data = Corpus(folder / "real.safetensors")
    ids, lengths = data.batch(load_file(folder / "real.given.safetensors")["rows"][0].tolist())
    train_step(model, optimizer, ids, lengths, "fp32")
    print(json.dumps({"tokens": int(lengths.sum()) + len(lengths)}), flush=True)


if __name__ == "__main__":
    torch.manual_seed(1111)
    mode, folder, *rest = sys.argv[1:]
    {"train": serve_training, "decode": serve_decoding, "start": first_step}[mode](
        Path(folder), *rest)
