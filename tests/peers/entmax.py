#!/usr/bin/env python3
"""Compares entmax with the package entmax in float64, on 10,000 random rows and on hostile ones: probabilities,
support sizes, and the gradients for scores and alpha of random cotangents. The peer is the exact solution for alpha 1.5
and 2, and its bisection with 100 steps for other alphas and for the gradients of alpha.

usage: entmax.py TEST_NN    TEST_NN: build/release/tests/test_nn
requires the packages entmax and torch
"""
import os
import pathlib
import subprocess
import sys
import tempfile

# The package has the name of this file, whose folder is searched first.
sys.path.pop(0)

import entmax  # noqa: E402
import numpy  # noqa: E402
import torch  # noqa: E402

GROUPS, ROWS = 100, 100
ALPHAS = [1.2, 1.5, 2.0]
SMALLEST_ALPHA = 1.01  # the smallest with a derivative for alpha
TOLERANCE = 1e-6
# Bisection finds the threshold up to rounding: a score nearer to it may be inside or outside the support.
NEAR = 1e-12


def random_rows(random):
    """(what, alpha, scores) of each group: three of five have a usual alpha, the others a random one."""
    for index in range(GROUPS):
        alpha = ALPHAS[index % 5] if index % 5 < 3 else SMALLEST_ALPHA + (2 - SMALLEST_ALPHA) * random.random()
        deviations = random.uniform(0.3, 8, (ROWS, 1))
        yield "random", alpha, random.normal(size=(ROWS, random.integers(2, 65))) * deviations


def hostile_rows(random):
    """The edges of test T24: ties, equal scores, one huge score, masked scores, one word, scores at the threshold."""
    for alpha in ALPHAS + [1.05, 1.37, 1.85]:
        yield "ties", alpha, random.integers(0, 3, (50, 20)).astype(float)
        yield "ties of large scores", alpha, random.integers(-3, 3, (50, 20)) * 1000.0
        yield "all equal", alpha, numpy.repeat([[0.0], [-80.0], [1e4]], 37, axis=1)
        huge = random.normal(size=(4, 12))
        huge[range(4), [0, 3, 7, 11]] = [50, 1e4, 1e9, 1e30]
        yield "one huge score", alpha, huge
        masked = random.normal(size=(50, 20)) * 2
        masked[random.random(masked.shape) < 0.5] = -numpy.inf
        masked[:, 4] = 1
        yield "masked scores", alpha, masked
        alone = numpy.full((5, 9), -numpy.inf)
        alone[range(5), range(5)] = [0, 3, -7, 1e4, -1e4]
        yield "all masked but one", alpha, alone
        yield "one word", alpha, numpy.array([[0.0], [-80.0], [1e4]])
        if alpha in ALPHAS:  # for others the package's bisection decides ties by rounding
            margin = 1 / (alpha - 1)
            yield "ties at the threshold", alpha, numpy.array([[0, -margin, -margin], [-margin, 0, -2 * margin]])


def peer(alpha, scores, cotangents):
    """Probabilities, gradient for the scores, gradients for alpha by row."""
    z = torch.tensor(scores, requires_grad=True)
    own = torch.full((len(scores), 1), alpha, dtype=torch.float64, requires_grad=True)
    bisected = entmax.entmax_bisect(z, own, dim=1, n_iter=100)
    exact = {1.5: entmax.entmax15, 2.0: entmax.sparsemax}
    p = exact[alpha](z, dim=1) if alpha in exact else bisected
    g = torch.tensor(cotangents)
    for_scores, = torch.autograd.grad(p, z, g, retain_graph=True)
    for_alpha, = torch.autograd.grad(bisected, own, g)
    return p.detach().numpy(), for_scores.numpy(), for_alpha[:, 0].numpy()


def support_bounds(alpha, scores, p):
    """The number of scores that are above the threshold in spite of rounding, and of those that may be."""
    top = scores.argmax(1)[:, None]
    maximum = numpy.take_along_axis(scores, top, 1)
    above = (alpha - 1) * (scores - maximum) + numpy.take_along_axis(p, top, 1) ** (alpha - 1)
    return (above > NEAR).sum(1), (above > -NEAR).sum(1)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    random = numpy.random.default_rng(7)
    groups = [(*group, random.normal(size=group[2].shape))
              for group in [*random_rows(random), *hostile_rows(random)]]
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "rows"
        with file.open("wb") as out:
            for _, alpha, scores, cotangents in groups:
                numpy.concatenate([[alpha, *scores.shape], scores.ravel(), cotangents.ravel()]).tofile(out)
        subprocess.run([sys.argv[1], "entmax: rows of a file"], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "LVTEXT_ENTMAX": str(file)})
        answers = numpy.fromfile(pathlib.Path(folder) / "rows.out")
    expected = sum(2 * scores.size + 2 * len(scores) for _, _, scores, _ in groups)
    assert len(answers) == expected, (len(answers), expected)
    largest, rows, ties, at, failed = {}, {}, 0, 0, False

    def take(*shape):
        nonlocal at
        size = numpy.prod(shape)
        at += size
        return answers[at - size:at].reshape(shape)

    for what, alpha, scores, cotangents in groups:
        ours = {"p": take(*scores.shape)}
        support = take(len(scores))
        ours |= {"gradient for scores": take(*scores.shape), "gradient for alpha": take(len(scores))}
        # The package loses digits of large scores; entmax does not depend on what is added to all of them.
        shifted = scores - scores.max(1, keepdims=True)
        theirs = dict(zip(ours, peer(alpha, shifted, cotangents)))
        if what == "ties at the threshold" and alpha == 2:
            del ours["gradient for alpha"]  # not continuous there: rounding of the bisection decides
        rows[what] = rows.get(what, 0) + len(scores)
        for name, values in ours.items():
            difference = numpy.abs(values - theirs[name]).max()
            if not difference <= TOLERANCE:
                print(f"{what}, alpha {alpha:.6g}: {name} differs by {difference:.1e}")
                failed = True
            largest[name] = max(largest.get(name, 0), difference)
        low, high = support_bounds(alpha, shifted, theirs["p"])
        ties += (low != high).sum()
        if ((support < low) | (support > high)).any():
            print(f"{what}, alpha {alpha:.6g}: support sizes differ")
            failed = True
    print(", ".join(f"{count:,} {what}" for what, count in rows.items()))
    print(f"entmax {entmax.__version__}, torch {torch.__version__}; largest differences: "
          + ", ".join(f"{name} {value:.1e}" for name, value in largest.items()) + f" (allowed: {TOLERANCE:.0e}); "
          f"{ties} rows have scores within {NEAR:.0e} of the threshold, which their support sizes may count or not")
    sys.exit(1 if failed else 0)


main()
