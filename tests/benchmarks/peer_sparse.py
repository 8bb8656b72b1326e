"""Peer of the entmax loss and of sampling: the package entmax, and operations of PyTorch.

Each line of standard input is FILE TASK ALPHA COUNT: a safetensors file with scores and targets. The
answer, a JSON line, contains the time of each of COUNT runs after one that is not timed.
"""

import json
import sys
import time

import torch
from entmax import Entmax15Loss, EntmaxBisectLoss, SparsemaxLoss
from safetensors.torch import load_file
from torch.nn.functional import cross_entropy, linear


def loss(data, function):
    scores = data["scores"].detach().requires_grad_()
    total = function(scores, data["targets"])
    total.backward()
    return {"value": total.item(), "gradient": scores.grad.norm().item()}


def head(data, function):
    """A loss of hidden states and a table, with the gradients of both."""
    hidden, table = (data[name].detach().requires_grad_() for name in ("hidden", "weight"))
    total = function(hidden, table, data["targets"])
    total.backward()
    return {"value": total.item(), "gradient": hidden.grad.norm().item(),
            "table": table.grad.norm().item()}


def entmax_loss(alpha, bisect):
    if bisect:
        return EntmaxBisectLoss(alpha=alpha, reduction="sum")
    return {1.5: Entmax15Loss, 2.0: SparsemaxLoss}[alpha](reduction="sum")


def nucleus(scores, p):
    """The paper's code: sort, cumulative sum, and softmax of the kept scores."""
    ordered, ids = scores.sort(descending=True)
    total = ordered.softmax(1).cumsum(1)
    dropped = total > p
    dropped[:, 1:] = dropped[:, :-1].clone()
    dropped[:, 0] = False
    return scores.masked_fill(dropped.scatter(1, ids, dropped), -torch.inf)


def top(scores, k):
    """The same with all scores sorted."""
    ordered = scores.sort(descending=True)[0]
    return scores.masked_fill(scores < ordered[:, k - 1:k], -torch.inf)


def fast_top(scores, k):
    return scores.masked_fill(scores < scores.topk(k)[0][:, -1:], -torch.inf)


def sample(kept):
    return {"value": float(kept.softmax(1).multinomial(1).sum())}


def support(kept):
    p = kept.softmax(1)
    return {"support": float((p > 0).sum()), "squares": float(p.square().sum())}


def task(data, name, alpha):
    scores = data.get("scores")
    return {
        "loss": lambda: loss(data, lambda x, y: cross_entropy(x, y, reduction="sum")),
        "head": lambda: head(data, lambda x, w, y: cross_entropy(linear(x, w), y,
                                                                 reduction="sum")),
        "fused_head": lambda: head(data, lambda x, w, y: torch.nn.functional.linear_cross_entropy(
            x, w, y, reduction="sum", options=torch.nn.LinearCrossEntropyOptions())),
        "bisect": lambda: loss(data, entmax_loss(alpha, True)),
        "sort": lambda: loss(data, entmax_loss(alpha, False)),
        "nucleus": lambda: sample(nucleus(scores, 0.9)),
        "nucleus_of": lambda: support(nucleus(scores, 0.9)),
        "top": lambda: sample(top(scores, 50)),
        "top_of": lambda: support(top(scores, 50)),
        "fast_top": lambda: sample(fast_top(scores, 50)),
    }[name]


def main():
    file, data = None, None
    for line in sys.stdin:
        wanted, name, alpha, count = line.split()
        if wanted != file:
            file, data = wanted, load_file(wanted)
        run = task(data, name, float(alpha))
        run()
        wall, cpu = time.monotonic(), time.process_time()
        for _ in range(int(count)):
            answer = run()
        answer |= {"seconds": (time.monotonic() - wall) / int(count),
                   "cpu": (time.process_time() - cpu) / int(count)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
