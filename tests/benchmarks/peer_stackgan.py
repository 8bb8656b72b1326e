"""The peer of stackgan.py: the text-to-image GANs in plain PyTorch.

    peer_stackgan.py FOLDER plain|channels_last cpu|cuda fp32|fp64|bf16     command: steps N

Reads the weights, batches and noise written by `lvtext_benchmarks stackgan-prepare`; after the prepared
steps it draws noise of its own. Right and wrong pairs share one pass of the images through the discriminator,
and both updates share the generated images. fp64: parameters, noise and images; bf16: autocast. Answers one JSON
line per command.
"""

import json
import sys
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from torch import nn

NOISE, KL_WEIGHT = 100, 0.05


def conv(out, kernel, stride=1, padding=1, bias=False):
    return nn.LazyConv2d(out, kernel, stride, padding, bias=bias)


class Normalized(nn.Module):
    """Convolution without bias, batch normalization."""

    def __init__(self, out, kernel, stride=1):
        super().__init__()
        self.conv, self.norm = conv(out, kernel, stride), nn.BatchNorm2d(out)

    def forward(self, x):
        return self.norm(self.conv(x))


class Down(nn.Module):
    def __init__(self, out, normalized):
        super().__init__()
        if normalized:
            self.normalized = Normalized(out, 4, 2)
        else:
            self.conv = conv(out, 4, 2)

    def forward(self, x):
        return F.leaky_relu(self.normalized(x) if hasattr(self, "normalized") else self.conv(x),
                            0.2)


class Upsampler(nn.Module):
    def __init__(self, channels, doublings):
        super().__init__()
        self.doublings = doublings
        for k in range(doublings):
            channels //= 2
            self.add_module(f"up{k}", Normalized(channels, 3))
        self.image = conv(1, 3)

    def forward(self, x):
        for k in range(self.doublings):
            x = F.relu(getattr(self, f"up{k}")(F.interpolate(x, scale_factor=2, mode="nearest")))
        return torch.tanh(self.image(x))


class First(nn.Module):
    def __init__(self, weights, size):
        super().__init__()
        units, inputs = weights["generator.linear.weight"].shape
        self.linear, self.norm = nn.Linear(inputs, units, bias=False), nn.BatchNorm1d(units)
        self.upsampler = Upsampler(units // 16, (size // 4).bit_length() - 1)

    def forward(self, x):
        x = F.relu(self.norm(self.linear(x)))
        return self.upsampler(x.view(len(x), -1, 4, 4))


class Residual(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.first, self.second = Normalized(channels, 3), Normalized(channels, 3)

    def forward(self, x):
        return F.relu(x + self.second(F.relu(self.first(x))))


class Second(nn.Module):
    def __init__(self, weights, small, size):
        super().__init__()
        width = len(weights["generator.enter.weight"])
        self.enter = conv(width, 3)
        self.down0, self.down1 = Normalized(2 * width, 4, 2), Normalized(4 * width, 4, 2)
        self.joint = Normalized(4 * width, 3)
        self.blocks = sum(f"generator.residual{k}.first.conv.weight" in weights for k in range(64))
        for k in range(self.blocks):
            self.add_module(f"residual{k}", Residual(4 * width))
        self.upsampler = Upsampler(4 * width, (4 * size // small).bit_length() - 1)

    def forward(self, small, vectors):
        x = F.relu(self.enter(small))
        x = F.relu(self.down1(F.relu(self.down0(x))))
        x = F.relu(self.joint(join(x, vectors)))
        for k in range(self.blocks):
            x = getattr(self, f"residual{k}")(x)
        return self.upsampler(x)


def join(images, vectors):
    places = vectors[:, :, None, None].expand(-1, -1, *images.shape[2:])
    return torch.cat([images, places], 1)


class Discriminator(nn.Module):
    def __init__(self, weights, size):
        super().__init__()
        width = len(weights["discriminator.down0.conv.weight"])
        self.halvings, channels, self.reductions = (size // 4).bit_length() - 1, width, 0
        self.down0 = Down(width, False)
        for k in range(1, self.halvings):
            channels *= 2
            self.add_module(f"down{k}", Down(channels, True))
        while channels > 8 * width:
            channels //= 2
            self.add_module(f"reduce{self.reductions}", Normalized(channels, 3))
            self.reductions += 1
        self.condition = nn.LazyLinear(len(weights["discriminator.condition.weight"]))
        self.joint, self.pair = conv(channels, 3), conv(1, 4, 4, 0, bias=True)
        if "discriminator.image.weight" in weights:
            self.image = conv(1, 4, 4, 0, bias=True)

    def see(self, x):
        for k in range(self.halvings):
            x = getattr(self, f"down{k}")(x)
        for k in range(self.reductions):
            x = F.leaky_relu(getattr(self, f"reduce{k}")(x), 0.2)
        return x

    def pairs(self, seen, conditions):
        judged = F.leaky_relu(self.condition(conditions), 0.2)
        return self.pair(F.leaky_relu(self.joint(join(seen, judged)), 0.2)).flatten()

    def images(self, seen):
        return self.image(seen).flatten()


class Conditioning(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.LazyLinear(256)

    def forward(self, conditions):
        return F.leaky_relu(self.linear(conditions), 0.2).chunk(2, 1)


class Stage(nn.Module):
    """A stage's networks with the weights of lvtext."""

    def __init__(self, weights, size, small=None):
        super().__init__()
        self.conditioning = Conditioning()
        self.generator = Second(weights, small, size) if small else First(weights, size)
        self.discriminator = Discriminator(weights, size)
        self.load(weights)

    def load(self, weights):
        # Lazy layers take their shapes from the weights.
        missing, unexpected = self.load_state_dict(weights, strict=False)
        missing = [name for name in missing if not name.endswith("num_batches_tracked")]
        if missing or unexpected:
            raise RuntimeError(f"weights differ: {missing}, {unexpected}")

    def draw(self, conditions, noise, small=None):
        mean, log_variance = self.conditioning(conditions)
        vectors = mean + torch.exp(log_variance / 2) * noise[:, NOISE:]
        if small is not None:
            return self.generator(small, vectors)
        return self.generator(torch.cat([noise[:, :NOISE], vectors], 1))


class Trainer:
    def __init__(self, folder, memory_format, device, precision):
        dtype = torch.float64 if precision == "fp64" else torch.float32
        self.place = {"device": device, "dtype": dtype}
        self.mixed = torch.autocast(device, torch.bfloat16, enabled=precision == "bf16")
        batches = load_file(folder / "batches.safetensors")
        self.batches = {name: values.to(device, None if name == "images" else dtype)
                        for name, values in batches.items()}
        size = batches["images"].shape[-1]
        self.first = None
        if (folder / "first.safetensors").exists():
            self.first = Stage(load_file(folder / "first.safetensors"), 64).eval()
            self.first.to(device, dtype, memory_format=memory_format)
        self.stage = Stage(load_file(folder / "weights.safetensors"), size, self.first and 64)
        self.stage.to(device, dtype, memory_format=memory_format)
        self.memory_format, self.steps = memory_format, 0
        generator = [*self.stage.conditioning.parameters(), *self.stage.generator.parameters()]
        self.discriminator = list(self.stage.discriminator.parameters())
        self.optimizers = [torch.optim.Adam(group, lr=2e-4, betas=(0.5, 0.999), fused=True)
                           for group in (generator, self.discriminator)]

    def noise(self, name):
        given = self.batches[name]
        if self.steps < len(given):
            return given[self.steps]
        return torch.randn(given.shape[1:], **self.place)

    def disc_loss(self, real, fake, conditions):
        judge = self.stage.discriminator
        seen, seen_fake = judge.see(real), judge.see(fake)
        right = F.softplus(-judge.pairs(seen, conditions)).mean()
        wrong = F.softplus(judge.pairs(seen, conditions.roll(-1, 0))).mean()
        refused = F.softplus(judge.pairs(seen_fake, conditions)).mean()
        if not self.first:
            return right + (wrong + refused) / 2
        right = (right + F.softplus(-judge.images(seen)).mean()) / 2
        return right + (wrong + refused + F.softplus(judge.images(seen_fake)).mean()) / 3

    def gen_loss(self, fake, conditions):
        judge = self.stage.discriminator
        seen_fake = judge.see(fake)
        adversarial = F.softplus(-judge.pairs(seen_fake, conditions)).mean()
        if self.first:
            adversarial = adversarial + F.softplus(-judge.images(seen_fake)).mean()
        mean, log_variance = self.stage.conditioning(conditions)
        kl = 0.5 * (mean.square() + log_variance.exp() - 1 - log_variance).sum(1).mean()
        return adversarial + KL_WEIGHT * kl

    def step(self):
        k = self.steps % len(self.batches["images"])
        conditions = self.batches["conditions"][k]
        real = self.batches["images"][k].to(self.place["dtype"]).div(127.5).sub(1)
        real = real.contiguous(memory_format=self.memory_format)
        with self.mixed:
            small = None
            if self.first:
                with torch.no_grad():
                    small = self.first.draw(conditions, self.noise("first_noise"))
            fake = self.stage.draw(conditions, self.noise("noise"), small)
            disc = self.disc_loss(real, fake.detach(), conditions)
        self.steps += 1
        self.optimizers[1].zero_grad()
        disc.backward()
        self.optimizers[1].step()

        for value in self.discriminator:
            value.requires_grad_(False)
        with self.mixed:
            gen = self.gen_loss(fake, conditions)
        self.optimizers[0].zero_grad()
        gen.backward()
        self.optimizers[0].step()
        for value in self.discriminator:
            value.requires_grad_(True)
        return {"disc": disc.item(), "gen": gen.item()}


def main():
    torch.manual_seed(1111)
    formats = {"plain": torch.contiguous_format, "channels_last": torch.channels_last}
    folder, form, device, precision = sys.argv[1:]
    torch.backends.cudnn.benchmark = True  # the fastest algorithms for these sizes
    trainer = Trainer(Path(folder), formats[form], device, precision)
    for line in sys.stdin:
        count = int(line.split()[1])
        wall, cpu = time.monotonic(), time.process_time()
        losses = [trainer.step() for _ in range(count)]
        print(json.dumps({"seconds": time.monotonic() - wall, "cpu": time.process_time() - cpu,
                          "images": count * trainer.batches["images"].shape[1],
                          "losses": losses}), flush=True)


if __name__ == "__main__":
    main()
