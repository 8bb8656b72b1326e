"""Peer of skip_gram: gensim's Word2Vec with the same settings, and what both sides' vectors are worth.

Each line of standard input is a JSON object, answered by a JSON line: `fit` trains and writes vectors in the
order of a list of words; `loss` is that of skip-gram with negative sampling for given vectors of the predicting
words, with vectors of the predicted ones, the 500 most frequent words, that are fitted to half of 60,000 pairs (convex,
120 steps of Adam with weight decay), on the other half; without a file, random vectors are scored; `neighbors` is the mean share of the ten nearest words that two files have in common, over
the 1,000 most frequent words.
"""

import json
import sys
import time

import numpy as np
import torch
from gensim.models import Word2Vec
from safetensors.numpy import load_file, save_file

WINDOW, NEGATIVES, SUBSAMPLE = 5, 5, 1e-3
PAIRS, PREDICTED, STEPS = 60000, 500, 120  # of the loss


def fit(text, width, epochs, threads, seed, words, vectors):
    lines = [line.split() for line in open(text, encoding="utf-8")]
    model = Word2Vec(sg=1, hs=0, negative=NEGATIVES, window=WINDOW, sample=SUBSAMPLE, alpha=0.025, min_alpha=0.025e-4,
                     vector_size=width, min_count=1, workers=threads, seed=seed)
    model.build_vocab(lines)
    wall, cpu = time.monotonic(), time.process_time()
    model.train(lines, total_examples=len(lines), epochs=epochs)
    answer = {"seconds": time.monotonic() - wall, "cpu": time.process_time() - cpu,
              "words": epochs * sum(map(len, lines))}
    known = [word if word in model.wv else None for word in words]
    save_file({"vectors": np.stack([np.zeros(width, np.float32) if word is None else model.wv[word]
                                    for word in known])}, vectors)
    return answer


def pairs_of(text, words):
    """Pairs (predicting, predicted) with the model's distribution of windows and of kept words, and noise."""
    draw = np.random.default_rng(1)
    index = {word: i for i, word in enumerate(words)}
    lines = [np.array([index[word] for word in line.split()]) for line in open(text, encoding="utf-8")]
    counts = np.bincount(np.concatenate(lines), minlength=len(words))
    share = counts / counts.sum() / SUBSAMPLE
    keep = np.minimum(1, (np.sqrt(share) + 1) / np.maximum(share, 1e-12))
    frequent = np.argsort(-counts, kind="stable")[:PREDICTED]
    number = np.full(len(words), -1)
    number[frequent] = np.arange(PREDICTED)
    pairs = []
    for i in draw.permutation(len(lines)):
        line = lines[i][draw.random(len(lines[i])) < keep[lines[i]]]
        for at, reach in enumerate(draw.integers(1, WINDOW + 1, len(line))):
            if number[line[at]] < 0:
                continue
            near = range(max(0, at - reach), min(len(line), at + reach + 1))
            pairs += [(line[j], number[line[at]]) for j in near if j != at]
        if len(pairs) > PAIRS:
            break
    noise = counts[frequent] ** 0.75
    drawn = draw.choice(PREDICTED, (len(pairs), NEGATIVES), p=noise / noise.sum())
    return torch.tensor(pairs), torch.from_numpy(drawn)


def loss(text, words, vectors, width):
    pairs, noise = pairs_of(text, words)
    given = torch.from_numpy(load_file(vectors)["vectors"]) if vectors else \
        torch.randn(len(words), width, generator=torch.Generator().manual_seed(1))
    if len(given) != len(words):
        raise ValueError(f"{len(given)} vectors of {len(words)} words")
    # Larger vectors would reach the optimum in fewer steps: all have the same mean norm.
    given = given / given.norm(dim=1).mean()
    outputs = torch.zeros(PREDICTED, given.shape[1], requires_grad=True)
    optimizer = torch.optim.Adam([outputs], lr=0.1)
    half = len(pairs) // 2

    def mean(rows):
        inputs = given[pairs[rows, 0]]
        right = (inputs * outputs[pairs[rows, 1]]).sum(1)
        wrong = (inputs.unsqueeze(1) * outputs[noise[rows]]).sum(2)
        # As in training, noise that is the predicted word is left out.
        wrong = torch.nn.functional.softplus(wrong) * (noise[rows] != pairs[rows, 1:2])
        return (torch.nn.functional.softplus(-right).sum() + wrong.sum()) / len(inputs)

    for _ in range(STEPS):
        optimizer.zero_grad()
        (mean(slice(0, half)) + 1e-3 * outputs.square().sum() / half).backward()
        optimizer.step()
    with torch.no_grad():
        return mean(slice(half, None)).item()


def neighbors(text, words, one, two):
    index = {word: i for i, word in enumerate(words)}
    counts = np.bincount([index[word] for line in open(text, encoding="utf-8") for word in line.split()],
                         minlength=len(words))
    frequent, used = np.argsort(-counts, kind="stable")[:1000], np.flatnonzero(counts)
    near = []
    for file in (one, two):
        vectors = load_file(file)["vectors"]
        unit = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        cosines = unit[frequent] @ unit[used].T
        cosines[frequent[:, None] == used[None, :]] = -2
        near.append(used[np.argsort(-cosines, axis=1)[:, :10]])
    return float(np.mean([len(set(a) & set(b)) / 10 for a, b in zip(*near)]))


def main():
    for line in sys.stdin:
        command = json.loads(line)
        do = command.pop("do")
        answer = fit(**command) if do == "fit" else {"value": {"loss": loss, "neighbors": neighbors}[do](**command)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
