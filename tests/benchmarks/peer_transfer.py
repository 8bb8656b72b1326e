"""The peer of transfer.py: a training step of model M7 (Pang and Gimpel 2019) in eager PyTorch.

    peer_transfer.py FOLDER noise|plain shared|repeated      commands: steps N

Reads the weights and batches written by `lvtext_benchmarks transfer-prepare` and answers each
command with a JSON line. `shared`: all updates of a step use one forward pass, the cyclic and the
language model loss one greedy pass, and both styles one batch, as in lvtext. `repeated`: each
update computes its own forward pass, and each of the two losses its own greedy pass. `plain`: no
dropout, no Gumbel noise and no gradient penalty, so that both sides have the same losses.
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
STYLE, CONTENT, EMBEDDING, MAX_LENGTH = 200, 500, 100, 20
HIDDEN = STYLE + CONTENT
DROP, XI, CLIP, RATE = 0.5, 10.0, 30.0, 1e-4
CYC, PARA, LANG = 5.0, 0.2, 1e-3


class Gru(nn.Module):
    """GRU with the reset gate before the product, which torch.nn.GRU does not have."""

    def __init__(self):
        super().__init__()
        self.weight_ih = nn.Parameter(torch.empty(3 * HIDDEN, EMBEDDING))
        self.weight_hh = nn.Parameter(torch.empty(3 * HIDDEN, HIDDEN))
        self.bias = nn.Parameter(torch.empty(3 * HIDDEN))

    def weights(self):
        return self.weight_hh.split([2 * HIDDEN, HIDDEN])

    def cell(self, x, h, weights):
        """The next state [B, H] from the projected input x [B, 3H]."""
        gates, candidate = weights
        r, z = torch.sigmoid(x[:, :2 * HIDDEN] + F.linear(h, gates)).chunk(2, 1)
        n = torch.tanh(x[:, 2 * HIDDEN:] + F.linear(r * h, candidate))
        return n + z * (h - n)

    def project(self, x):
        return F.linear(x, self.weight_ih, self.bias)

    def forward(self, x, h):
        """States [B, T, H] after each of the inputs [B, T, E]."""
        weights, states = self.weights(), []
        for step in self.project(x).unbind(1):
            h = self.cell(step, h, weights)
            states.append(h)
        return torch.stack(states, 1)


class Judge(nn.Module):
    """CNN on states: a discriminator or a critic."""

    def __init__(self, widths, channels=128):
        super().__init__()
        self.filters = nn.ModuleList(nn.Conv1d(HIDDEN, channels, n) for n in widths)
        self.output = nn.Linear(len(widths) * channels, 1)

    def forward(self, states, drop):
        x = states.transpose(1, 2)
        features = torch.cat([F.leaky_relu(f(x), 0.01).amax(2) for f in self.filters], 1)
        return self.output(F.dropout(features, drop)).squeeze(1)


class LanguageModel(nn.Module):
    def __init__(self, words):
        super().__init__()
        self.embedding = nn.Embedding(words, EMBEDDING)
        self.gru = nn.GRU(EMBEDDING, 500, batch_first=True)
        self.output = nn.Linear(500, words)

    def forward(self, ids):
        return torch.softmax(self.output(self.gru(self.embedding(ids))[0]), 2)


class Autoencoder(nn.Module):
    def __init__(self, words):
        super().__init__()
        self.embedding = nn.Embedding(words, EMBEDDING)
        self.encoder, self.generator = Gru(), Gru()
        self.encoder_style, self.generator_style = nn.Linear(1, STYLE), nn.Linear(1, STYLE)
        self.output = nn.Linear(HIDDEN, words)
        self.drop = DROP

    def dropout(self, x, on):
        return F.dropout(x, self.drop) if on and self.drop else x

    def encode(self, ids, styles, drop=True):
        """Content [B, Z] of padded sentences; the encoder reads them from the end, padding first."""
        first = torch.cat([self.encoder_style(styles), styles.new_zeros(len(ids), CONTENT)], 1)
        return self.encoder(self.dropout(self.embedding(ids.flip(1)), drop), first)[:, -1, STYLE:]

    def initial(self, styles, content):
        return torch.cat([self.generator_style(styles), content], 1)

    def taught(self, ids, initial):
        """States [B, T + 1, H] of the teacher-forced generator."""
        words = self.embedding(F.pad(ids, (1, 0), value=BOS))
        return self.generator(self.dropout(words, True), initial)

    def soft(self, initial, states, noise):
        """States [B, S, H], `initial` first, of the generator that reads expected word vectors."""
        weights, h = self.generator.weights(), initial
        word = self.embedding.weight[BOS].expand(len(h), -1)
        result = [h]
        while True:
            x = self.generator.project(self.dropout(word, True))
            h = self.generator.cell(x, h, weights)
            result.append(h)
            if len(result) == states:
                return torch.stack(result, 1)
            logits = self.output(self.dropout(h, True))
            if noise:
                logits = logits - torch.log(-torch.log(torch.rand_like(logits) + 1e-20) + 1e-20)
            word = torch.softmax(logits, 1) @ self.embedding.weight  # temperature 1: first epoch

    @torch.no_grad()
    def greedy(self, initial):
        """Sentences of at most MAX_LENGTH words and their lengths."""
        weights, h = self.generator.weights(), initial
        ids = torch.full((len(h),), BOS)
        ended = torch.zeros(len(h), dtype=torch.bool)
        words, lengths = [], torch.zeros(len(h), dtype=torch.long)
        for _ in range(MAX_LENGTH):
            h = self.generator.cell(self.generator.project(self.embedding(ids)), h, weights)
            logits = self.output(h)
            logits[:, :EOS] = -torch.inf  # padding and BOS are never written
            ids = logits.argmax(1)
            ended = ended | (ids == EOS)
            if ended.all():
                break
            lengths += ~ended
            words.append(ids.masked_fill(ended, PAD))
        return torch.stack(words, 1), lengths

    def nll(self, states, ids, lengths):
        """Sum over sentences of the negative log-likelihood, EOS included."""
        targets = F.pad(ids, (0, 1), value=-1)
        targets = targets.masked_fill(torch.arange(targets.size(1)) > lengths[:, None], -1)
        targets[torch.arange(len(ids)), lengths] = EOS
        logits = self.output(self.dropout(states, True))
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-1,
                               reduction="sum")


def load(folder):
    ours = load_file(folder / "transfer.safetensors")
    words = len(ours["autoencoder.output.bias"])
    model = Autoencoder(words)
    names = {"embedding.weight": ours["autoencoder.embedding.weight"]}
    for part in ("encoder", "generator"):
        prefix = f"autoencoder.{part}."
        for name, theirs in (("weight_ih", "weight_ih_l0"), ("weight_hh", "weight_hh_l0"),
                             ("bias", "bias_ih_l0")):
            names[f"{part}.{name}"] = ours[f"{prefix}gru.{theirs}"]
        names[f"{part}_style.weight"] = ours[prefix + "style_weight"].unsqueeze(1)
        names[f"{part}_style.bias"] = ours[prefix + "style_bias"]
    for name in ("weight", "bias"):
        names[f"output.{name}"] = ours[f"autoencoder.output.{name}"]
    model.load_state_dict(names)

    def judge(name, widths):
        result = Judge(widths)
        values = {}
        for i in range(len(widths)):
            weight = ours[f"{name}.filter{i + 1}.weight"]  # [width, channels, H]
            values[f"filters.{i}.weight"] = weight.permute(1, 2, 0)
            values[f"filters.{i}.bias"] = ours[f"{name}.filter{i + 1}.bias"]
        for part in ("weight", "bias"):
            values[f"output.{part}"] = ours[f"{name}.output.{part}"]
        result.load_state_dict(values)
        return result

    discriminators = nn.ModuleList(judge(f"discriminator{t}", [3, 4, 5]) for t in (0, 1))
    critics = nn.ModuleList(judge(f"critic{t}", [1, 2, 3]) for t in (0, 1))
    language_models = []
    for t in (0, 1):
        values = load_file(folder / f"lm_{t}.safetensors")
        lm = LanguageModel(words)
        lm.load_state_dict({name.removeprefix("decoder."): value for name, value in values.items()})
        language_models.append(lm.eval().requires_grad_(False))
    return model, discriminators, critics, language_models


class Step:
    def __init__(self, folder, noise, shared):
        self.noise, self.shared = noise, shared
        self.model, self.discriminators, self.critics, self.language_models = load(folder)
        self.judge_drop = DROP if noise else 0.0
        self.model.drop = DROP if noise else 0.0
        self.optimizers = [torch.optim.Adam(part.parameters(), lr=RATE, fused=True)
                           for part in (self.discriminators, self.critics, self.model)]
        batches = load_file(folder / "batches.safetensors")
        self.batches = [{name: ids[k] for name, ids in batches.items()}
                        for k in range(len(batches["from"]))]
        self.done = 0

    def forward(self, ids, styles):
        """Content, and real and fake states of the discriminators."""
        content = self.model.encode(ids, styles)
        initial = self.model.initial(styles, content)
        taught = self.model.taught(ids, initial)
        real = torch.cat([initial.unsqueeze(1), taught], 1)[:, :MAX_LENGTH]
        fake = self.model.soft(self.model.initial(1 - styles, content), real.size(1), self.noise)
        return content, taught, real, fake

    def transferred(self, ids, styles):
        with torch.no_grad():
            content = self.model.encode(ids, styles, drop=False)
            return self.model.greedy(self.model.initial(1 - styles, content))

    def update(self, index, parameters, loss):
        optimizer = self.optimizers[index]
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, CLIP)
        optimizer.step()

    def scores(self, judge, real, fake, style):
        """Scores of the real states of a style and of fake states that were moved to it."""
        k = len(real) // 2
        both = torch.cat([real[style * k:(style + 1) * k], fake[(1 - style) * k:(2 - style) * k]])
        return judge(both, self.judge_drop).split(k)

    def discriminator_losses(self, real, fake):
        result = []
        for style, judge in enumerate(self.discriminators):
            a, b = self.scores(judge, real, fake, style)
            result.append((F.softplus(-a).sum() + F.softplus(b).sum()) / len(a))
        return result

    def distance(self, real, fake):
        total = 0
        for style, judge in enumerate(self.critics):
            a, b = self.scores(judge, real, fake, style)
            total = total + (b.sum() - a.sum()) / len(a)
        return total

    def penalty(self, real, fake):
        total, k = 0, len(real) // 2
        for style, judge in enumerate(self.critics):
            a, b = real[style * k:(style + 1) * k], fake[(1 - style) * k:(2 - style) * k]
            share = torch.rand(k, 1, 1)
            points = (share * a + (1 - share) * b).requires_grad_()
            slope, = torch.autograd.grad(judge(points, self.judge_drop).sum(), points,
                                         create_graph=True)
            total = total + (slope.flatten(1).norm(dim=1) - 1).square().sum() / k
        return total

    def take(self):
        batch = self.batches[self.done % len(self.batches)]
        self.done += 1
        model, k = self.model, len(batch["from"])
        ids = torch.cat([batch["text_0"], batch["text_1"]])
        lengths = torch.full((2 * k,), ids.size(1))
        styles = torch.cat([torch.zeros(k, 1), torch.ones(k, 1)])
        log = {}

        content, taught, real, fake = self.forward(ids, styles)
        losses = self.discriminator_losses(real.detach(), fake.detach())
        log["disc/adv_0"], log["disc/adv_1"] = losses
        self.update(0, self.discriminators.parameters(), losses[0] + losses[1])

        if not self.shared:
            with torch.no_grad():
                content, taught, real, fake = self.forward(ids, styles)
        loss = log["critic/wasserstein"] = self.distance(real.detach(), fake.detach())
        if self.noise:
            loss = loss + XI * self.penalty(real.detach(), fake.detach())
        self.update(1, self.critics.parameters(), loss)

        if not self.shared:
            content, taught, real, fake = self.forward(ids, styles)
        log["gen/rec"] = model.nll(taught, ids, lengths) / (2 * k)
        other, ends = self.transferred(ids, styles)
        again = model.initial(styles, model.encode(other, 1 - styles))
        log["gen/cyc"] = model.nll(model.taught(ids, again), ids, lengths) / (2 * k)
        if not self.shared:
            other, ends = self.transferred(ids, styles)
        log["gen/lang"] = self.language_model_loss(other, ends, content, styles) / (2 * k)
        source, target = torch.cat([batch["from"]] * 2), torch.cat([batch["to"]] * 2)
        code = model.initial(styles, model.encode(source, styles))
        log["gen/para"] = model.nll(model.taught(target, code), target, lengths) / (2 * k)
        for judges in (self.discriminators, self.critics):
            judges.requires_grad_(False)
        log["gen/adv"] = sum(self.discriminator_losses(real, fake))
        log["gen/critic"] = self.distance(real, fake)
        self.update(2, model.parameters(),
                    log["gen/rec"] + CYC * log["gen/cyc"] + LANG * log["gen/lang"]
                    + PARA * log["gen/para"] - log["gen/adv"] - log["gen/critic"])
        for judges in (self.discriminators, self.critics):
            judges.requires_grad_(True)
        return {name: value.item() for name, value in log.items()}

    def language_model_loss(self, other, ends, content, styles):
        model, k = self.model, len(other) // 2
        states = model.taught(other, model.initial(1 - styles, content))[:, :MAX_LENGTH]
        log_q = F.log_softmax(model.output(model.dropout(states, True)), 2)
        counted = torch.arange(log_q.size(1)) <= ends[:, None]
        inputs = F.pad(other, (1, 0), value=BOS)[:, :MAX_LENGTH]
        total = 0
        for t in (0, 1):
            rows = slice(t * k, (t + 1) * k)
            with torch.no_grad():
                p = self.language_models[1 - t](inputs[rows])
            total = total - ((p * log_q[rows]).sum(2) * counted[rows]).sum()
        return total


def main():
    folder, noise, passes = sys.argv[1:]
    torch.manual_seed(1111)
    step = Step(Path(folder), noise == "noise", passes == "shared")
    for line in sys.stdin:
        count = int(line.split()[1])
        wall, cpu = time.monotonic(), time.process_time()
        for _ in range(count):
            log = step.take()
        print(json.dumps({"seconds": time.monotonic() - wall, "cpu": time.process_time() - cpu,
                          "steps": count, "log": {"train": log}}), flush=True)


if __name__ == "__main__":
    main()
