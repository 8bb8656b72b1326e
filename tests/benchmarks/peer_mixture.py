"""Peer of the mixture benchmark: the same decoder in plain PyTorch, and packages for transport.

Each line of standard input is FILE TASK COUNT, TASK one of lstm, mixture, step, pyemd, pot. The
answer, a JSON line, contains the mean time of COUNT runs after one that is not timed.
"""

import json
import sys
import time
from pathlib import Path

import numpy
import torch
import torch.nn.functional as F
from safetensors.torch import load_file
from torch import nn


def memory(field):
    """Returns a field of /proc/self/status in MiB."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(field + ":"):
            return float(line.split()[1]) / 1024
    raise RuntimeError(f"/proc/self/status has no {field}")


class Decoder(nn.Module):
    """zihangdai/mos as Kerscher and Eger use it, without dropout; log(p + 1e-8) is exact here."""

    def __init__(self, data):
        super().__init__()
        self.data = data
        layers = []
        i = 0
        while f"weight_ih_{i}" in data:
            weight = data[f"weight_ih_{i}"]
            if i == 0:
                weight = torch.cat([weight, data["context_weight"]], 1)
            lstm = nn.LSTM(weight.size(1), data[f"weight_hh_{i}"].size(1), batch_first=True)
            lstm.load_state_dict({"weight_ih_l0": weight, "weight_hh_l0": data[f"weight_hh_{i}"],
                                  "bias_ih_l0": data[f"bias_ih_{i}"], "bias_hh_l0": data[f"bias_hh_{i}"]})
            layers.append(lstm)
            i += 1
        self.layers = nn.ModuleList(layers)
        own = {name: nn.Parameter(data[name].clone())
               for name in ("latent_weight", "latent_bias", "prior_weight", "bias")}
        self.own = nn.ParameterDict(own)

    def states(self):
        words, context = self.data["vectors"], self.data["context"]
        x = torch.cat([words, context.unsqueeze(1).expand(-1, words.size(1), -1)], 2)
        for layer in self.layers:
            x, _ = layer(x)
        return x.flatten(0, 1)

    def loss(self, states):
        table, targets = self.data["table"], self.data["targets"]
        latent = torch.tanh(F.linear(states, self.own["latent_weight"], self.own["latent_bias"]))
        prior = F.linear(states, self.own["prior_weight"]).log_softmax(1)
        logits = F.linear(latent.view(-1, table.size(1)), table, self.own["bias"])
        log_p = logits.log_softmax(1).view(states.size(0), -1, table.size(0)) + prior.unsqueeze(2)
        return F.nll_loss(log_p.logsumexp(1), targets, reduction="sum")

    def run(self, what):
        self.zero_grad(set_to_none=True)
        if what == "lstm":
            loss = self.states().sum()
        else:
            loss = self.loss(self.data["states"] if what == "mixture" else self.states())
        loss.backward()
        squares = sum(float(each.grad.square().sum()) for each in self.parameters() if each.grad is not None)
        return {"value": float(loss.detach()), "gradient": squares ** 0.5}


def problems(data):
    numbers, at = data["numbers"].numpy(), 0
    for m, n in data["sizes"].tolist():
        costs = numbers[at:at + m * n].reshape(m, n)
        at += m * n
        yield costs, numbers[at:at + m], numbers[at + m:at + m + n]
        at += m + n


def transport(data, what):
    if what == "pot":
        import ot
        return {"value": sum(float(ot.emd2(a, b, c)) for c, a, b in data["problems"])}
    from pyemd import emd_with_flow
    total = 0
    for costs, a, b in data["problems"]:
        # As in moverscore.py, both histograms are over all points. The total is computed from the
        # flow, since pyemd's own is inexact (its issue 32).
        m, n = costs.shape
        square = numpy.zeros((m + n, m + n))
        square[:m, m:], square[m:, :m] = costs, costs.T
        _, flow = emd_with_flow(numpy.concatenate([a, numpy.zeros(n)]), numpy.concatenate([numpy.zeros(m), b]), square)
        total += float((numpy.array(flow) * square).sum())
    return {"value": total}


def main():
    file, data, decoder = None, None, None
    for line in sys.stdin:
        name, what, count = line.split()
        if name != file:
            file, data = name, load_file(name)
            decoder = Decoder(data) if "table" in data else None
            if decoder is None:
                data["problems"] = list(problems(data))
        run = (lambda: decoder.run(what)) if decoder is not None else (lambda: transport(data, what))
        run()
        resident = memory("VmRSS")
        wall, cpu = time.perf_counter(), time.process_time()
        for _ in range(int(count)):
            answer = run()
        answer["seconds"] = (time.perf_counter() - wall) / int(count)
        answer["cpu"] = (time.process_time() - cpu) / int(count)
        answer["resident"], answer["peak"] = resident, memory("VmHWM")
        print(json.dumps(answer), flush=True)


main()
