"""Peer of the t-SNE benchmark: scikit-learn's exact method.

    peer_tsne.py FOLDER    commands: embed START, divergence EMBEDDING (JSON lists of coordinates)

Reads the points written by `lvtext_benchmarks tsne FOLDER`. Answers one JSON line per command.
"""

import json
import sys
import time
from pathlib import Path

import numpy as np
from safetensors.numpy import load_file
from sklearn.manifold import TSNE

PERPLEXITY, ITERATIONS = 30, 1000


def similarities(points):
    """Computes P in float64, independently of both sides: conditional kernels with an entropy of
    ln(perplexity), symmetrized."""
    n = len(points)
    distances = ((points[:, None, :] - points[None, :, :]) ** 2).sum(2)
    given = np.zeros((n, n))
    for i in range(n):
        others = np.arange(n) != i
        row = distances[i, others] - distances[i, others].min()
        low, high = -50.0, 50.0  # of ln(beta)
        for _ in range(200):
            beta = np.exp((low + high) / 2)
            kernel = np.exp(-beta * row)
            p = kernel / kernel.sum()
            entropy = -(p[p > 0] * np.log(p[p > 0])).sum()
            low, high = ((low + high) / 2, high) if entropy > np.log(PERPLEXITY) else \
                        (low, (low + high) / 2)
        given[i, others] = p
    return np.maximum((given + given.T) / (2 * n), 1e-12)


def divergence(p, embedding):
    """Computes KL(P || Q) of an embedding [N, 2]."""
    closeness = 1 / (1 + ((embedding[:, None, :] - embedding[None, :, :]) ** 2).sum(2))
    np.fill_diagonal(closeness, 0)
    q = closeness / closeness.sum()
    pairs = ~np.eye(len(embedding), dtype=bool)
    return float((p[pairs] * np.log(p[pairs] / q[pairs])).sum())


def main():
    points = load_file(Path(sys.argv[1]) / "points.safetensors")["points"]
    p = similarities(points)
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        command, numbers = line.split(" ", 1)
        coordinates = np.array(json.loads(numbers)).reshape(-1, 2)
        if command == "divergence":
            answer = {"divergence": divergence(p, coordinates)}
        else:
            # The last two disable early stopping.
            method = TSNE(method="exact", perplexity=PERPLEXITY, early_exaggeration=12,
                          learning_rate=200, max_iter=ITERATIONS, init=coordinates.astype("float32"),
                          min_grad_norm=0, n_iter_without_progress=ITERATIONS)
            wall, cpu = time.monotonic(), time.process_time()
            embedding = method.fit_transform(points)
            answer = {"seconds": time.monotonic() - wall, "cpu": time.process_time() - cpu,
                      "embeddings": 1, "iterations": int(method.n_iter_) + 1,
                      "embedding": embedding.ravel().tolist()}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
