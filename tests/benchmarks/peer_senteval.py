"""Peer of the classifiers of senteval: SentEval's nested cross-validation with its logistic regression in
plain PyTorch, one probe at a time, for the first outer fold.

Each line of standard input is a JSON object with the safetensors file of `features` and `classes`, and the
outer fold of each row. The answer, a JSON line, has the accuracy on the first fold and the time.
"""

import copy
import json
import sys
import time

import numpy as np
import torch
from safetensors.torch import load_file
from torch import nn

FOLDS, DECAYS, BATCH, EPOCH_SIZE, TENACITY, MAX_EPOCH, SEED = 10, [1e-5, 1e-4, 1e-3, 1e-2], 64, 4, 5, 200, 1111


class Probe:
    """SentEval's PyTorchClassifier with nhid 0 (classifier.py, recommended settings)."""

    def __init__(self, width, classes, decay):
        torch.manual_seed(SEED)
        self.model = nn.Sequential(nn.Linear(width, classes))
        self.loss = nn.CrossEntropyLoss()
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-3, weight_decay=decay)
        self.order = np.random.default_rng(SEED)

    def passes(self, x, y):
        for _ in range(EPOCH_SIZE):
            order = torch.from_numpy(self.order.permutation(len(x)))
            for i in range(0, len(x), BATCH):
                rows = order[i:i + BATCH]
                loss = self.loss(self.model(x[rows]), y[rows])
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()

    def accuracy(self, x, y):
        with torch.no_grad():
            return 100 * (self.model(x).argmax(1) == y).double().mean().item()

    def fit(self, x, y, dev_x, dev_y):
        best, best_model, failures, epochs = -1.0, None, 0, 0
        while epochs <= MAX_EPOCH:
            self.passes(x, y)
            epochs += EPOCH_SIZE
            accuracy = self.accuracy(dev_x, dev_y)
            if accuracy > best:
                best, best_model = accuracy, copy.deepcopy(self.model)
            else:
                if failures >= TENACITY:
                    break
                failures += 1
        self.model = best_model
        return best


def stratified(y, draw):
    folds = np.empty(len(y), int)
    for each in np.unique(y):
        rows = draw.permutation(np.flatnonzero(y == each))
        folds[rows] = np.arange(len(rows)) % FOLDS
    return folds


def first_fold(x, y, outer):
    """Returns the accuracy on the first outer fold and the number of trained probes."""
    inside, outside = torch.from_numpy(np.flatnonzero(outer != 0)), torch.from_numpy(np.flatnonzero(outer == 0))
    train_x, train_y = x[inside], y[inside]
    draw = np.random.default_rng(SEED)
    inner = stratified(train_y.numpy(), draw)
    classes = int(y.max()) + 1

    def fitted(decay, dev):
        probe = Probe(x.size(1), classes, decay)
        dev = torch.from_numpy(dev)
        return probe, probe.fit(train_x[~dev], train_y[~dev], train_x[dev], train_y[dev])

    means = [np.mean([fitted(decay, inner == fold)[1] for fold in range(FOLDS)]) for decay in DECAYS]
    dev = draw.random(len(train_y)) < 0.05
    probe, _ = fitted(DECAYS[int(np.argmax(means))], dev)
    return probe.accuracy(x[outside], y[outside]), len(DECAYS) * FOLDS + 1


if __name__ == "__main__":
    for line in sys.stdin:
        asked = json.loads(line)
        data = load_file(asked["file"])
        wall, cpu = time.monotonic(), time.process_time()
        accuracy, probes = first_fold(data["features"], data["classes"], np.array(asked["folds"]))
        print(json.dumps({"seconds": time.monotonic() - wall, "cpu": time.process_time() - cpu, "first": accuracy,
                          "probes": probes, "rows": len(data["classes"])}), flush=True)
