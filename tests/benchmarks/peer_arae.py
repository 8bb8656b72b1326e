"""The peer of arae.py: ARAE in plain PyTorch, with the steps of the authors' release.

    peer_arae.py FOLDER flushed|default              commands: steps N, dead

Reads the weights and batches written by `lvtext_benchmarks arae-prepare`. `flushed` calls
torch.set_flush_denormal(True). Answers one JSON line per command.
"""

import json
import sys
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from torch import nn

BOS, EOS = 1, 2
NOISE, ROUNDS, CRITIC_UPDATES, CLAMP, ENCODER_WEIGHT = 0.2, 4, 5, 0.01, 0.01


class Mlp(nn.Module):
    """Linear layers with batch normalization where the weights have it."""

    def __init__(self, weights, prefix, slope):
        super().__init__()
        self.slope = slope
        self.layers, self.norms = nn.ModuleList(), nn.ModuleDict()
        for i in range(1, 10):
            if f"{prefix}.layer{i}.weight" not in weights:
                break
            columns, rows = weights[f"{prefix}.layer{i}.weight"].shape
            self.layers.append(nn.Linear(rows, columns))
            if f"{prefix}.norm{i}.weight" in weights:
                self.norms[str(i - 1)] = nn.BatchNorm1d(columns)
        names = {}
        for name in self.state_dict():
            part, i, field = name.split(".")
            if field == "num_batches_tracked":
                names[name] = torch.tensor(0)
            else:
                names[name] = weights[f"{prefix}.{part[:-1]}{int(i) + 1}.{field}"]
        self.load_state_dict(names)

    def forward(self, x):
        for i, layer in enumerate(self.layers):
            x = layer(x)
            if str(i) in self.norms:
                x = self.norms[str(i)](x)
            if i + 1 < len(self.layers):
                x = F.leaky_relu(x, self.slope)
        return x


class Autoencoder(nn.Module):
    def __init__(self, weights):
        super().__init__()
        words, width = weights["encoder_embedding.weight"].shape
        hidden = weights["encoder.lstm.weight_hh_l0"].shape[1]
        self.encoder_embedding = nn.Embedding(words, width)
        self.decoder_embedding = nn.Embedding(words, width)
        self.encoder = nn.LSTM(width, hidden, batch_first=True)
        self.decoder = nn.LSTM(width + hidden, hidden, batch_first=True)
        self.output = nn.Linear(hidden, words)
        names = {f"{side}_embedding.weight": weights[f"{side}_embedding.weight"]
                 for side in ("encoder", "decoder")}
        for side in ("encoder", "decoder"):
            for name in ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0"):
                names[f"{side}.{name}"] = weights[f"{side}.lstm.{name}"]
        names["decoder.weight_ih_l0"] = torch.cat(
            [names["decoder.weight_ih_l0"], weights["decoder.z_weight"]], 1)
        for name in ("weight", "bias"):
            names[f"output.{name}"] = weights[f"decoder.output.{name}"]
        self.load_state_dict(names)

    def encoder_parameters(self):
        return [*self.encoder_embedding.parameters(), *self.encoder.parameters()]

    def encode(self, ids):
        _, (state, _) = self.encoder(self.encoder_embedding(F.pad(ids, (1, 0), value=BOS)))
        return F.normalize(state[0], dim=1)

    def loss(self, ids, z):
        """Returns the mean negative log-likelihood of the tokens of ids [B, T] and EOS."""
        words = self.decoder_embedding(F.pad(ids, (1, 0), value=BOS))
        states, _ = self.decoder(
            torch.cat([words, z.unsqueeze(1).expand(-1, words.size(1), -1)], 2))
        targets = F.pad(ids, (0, 1), value=EOS)
        return F.cross_entropy(self.output(states).flatten(0, 1), targets.flatten())


class Arae:
    def __init__(self, weights):
        self.autoencoder = Autoencoder(weights)
        self.generator = Mlp(weights, "generator", 0.0)
        self.critic = Mlp(weights, "critic", 0.2)
        self.noise = self.generator.layers[0].in_features
        self.optimizers = {
            "autoencoder": torch.optim.SGD(self.autoencoder.parameters(), lr=1),
            "encoder": torch.optim.SGD(self.autoencoder.encoder_parameters(), lr=1),
            "critic": torch.optim.Adam(self.critic.parameters(), lr=1e-5, fused=True),
            "generator": torch.optim.Adam(self.generator.parameters(), lr=5e-5, fused=True)}

    def clear(self):
        for part in (self.autoencoder, self.generator, self.critic):
            part.zero_grad()

    def update(self, name, clipped=None):
        if clipped is not None:
            nn.utils.clip_grad_norm_(clipped, 1)
        self.optimizers[name].step()

    def generated(self, ids):
        return self.generator(torch.randn(len(ids), self.noise))

    def train_autoencoder(self, ids):
        self.clear()
        z = self.autoencoder.encode(ids)
        size = []
        z.register_hook(lambda gradient: size.append(gradient.norm(dim=1).mean()))
        loss = self.autoencoder.loss(ids, z + NOISE * torch.randn_like(z) if NOISE else z)
        loss.backward()
        self.update("autoencoder", list(self.autoencoder.parameters()))
        return loss.item(), size[0]

    def train_critic(self, ids, size):
        with torch.no_grad():
            for value in self.critic.parameters():
                value.clamp_(-CLAMP, CLAMP)
        self.clear()
        real = self.autoencoder.encode(ids)
        real.register_hook(lambda gradient: gradient * (
            -ENCODER_WEIGHT * size / gradient.norm(dim=1).mean().clamp_min(1e-12)))
        loss = self.critic(real).mean() - self.critic(self.generated(ids).detach()).mean()
        loss.backward()
        self.update("critic")
        self.update("encoder", self.autoencoder.encoder_parameters())
        return loss.item()

    def train_generator(self, ids):
        self.clear()
        loss = self.critic(self.generated(ids)).mean()
        loss.backward()
        self.update("generator")
        return loss.item()

    def step(self, batch, critic_batches):
        loss, size = self.train_autoencoder(batch)
        for _ in range(ROUNDS):
            for _ in range(CRITIC_UPDATES):
                ids = next(critic_batches)
                self.train_critic(ids, size)
            self.train_generator(ids)
        return loss

    @torch.no_grad()
    def kill_generator(self):
        """Makes the hidden units inactive and the moments of Adam subnormal."""
        for norm in self.generator.norms.values():
            norm.weight.zero_()
            norm.bias.fill_(-1)
        for state in self.optimizers["generator"].state.values():
            state["exp_avg"].fill_(1e-40)
            state["exp_avg_sq"].fill_(1e-42)


def main():
    folder = Path(sys.argv[1])
    if sys.argv[2] == "flushed":
        torch.set_flush_denormal(True)
    torch.manual_seed(1111)
    model = Arae(load_file(folder / "arae.safetensors"))
    batches = load_file(folder / "batches.safetensors")["text"].long()

    def order():
        while True:
            yield from batches

    rows, critic_rows = order(), order()
    for line in sys.stdin:
        command, *count = line.split()
        if command == "dead":
            model.kill_generator()
            print("{}", flush=True)
            continue
        wall, cpu, loss = time.monotonic(), time.process_time(), 0.0
        for _ in range(int(count[0])):
            loss = model.step(next(rows), critic_rows)
        print(json.dumps({"seconds": time.monotonic() - wall, "cpu": time.process_time() - cpu,
                          "steps": int(count[0]), "log": {"train": {"autoencoder/token_nll": loss}}}),
              flush=True)


if __name__ == "__main__":
    main()
