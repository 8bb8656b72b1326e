#!/usr/bin/env python3
"""Compares the exact transport of evaluators/metrics with scipy's linear programs on 1,000 random
problems: random, equal and integer costs; equal, random and zero masses.

usage: transport.py TEST_METRICS    TEST_METRICS: build/release/tests/test_metrics
requires the package scipy
"""
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy
from scipy.optimize import linprog

PROBLEMS = 1000
TOLERANCE = 1e-9


def problem(random, index):
    m, n = random.integers(1, 41, 2)
    kind = index % 4
    if kind == 0:  # squared distances of unit vectors, as MoverScore's
        x, y = (random.normal(size=(rows, 16)) for rows in (m, n))
        x, y = (points / numpy.linalg.norm(points, axis=1, keepdims=True) for points in (x, y))
        costs = numpy.maximum(2 - 2 * x @ y.T, 0)
    elif kind == 1:
        costs = random.integers(0, 4, (m, n)).astype(float)
    else:
        costs = random.random((m, n)) * 10.0 ** random.integers(-3, 4)
    masses = []
    for size in (m, n):
        mass = numpy.ones(size) if index % 3 == 0 else random.random(size)
        if index % 3 == 2:
            mass[random.random(size) < 0.3] = 0
            mass[0] += 0.1
        masses.append(mass / mass.sum())
    return costs, *masses


def reference(costs, supply, demand):
    m, n = costs.shape
    sums = numpy.zeros((m + n, m * n))
    for i in range(m):
        sums[i, i * n:(i + 1) * n] = 1
    for j in range(n):
        sums[m + j, j::n] = 1
    # One equation follows from the others.
    solved = linprog(costs.ravel(), A_eq=sums[:-1], b_eq=numpy.concatenate([supply, demand])[:-1],
                     method="highs", options={"primal_feasibility_tolerance": 1e-10,
                                              "dual_feasibility_tolerance": 1e-10})
    assert solved.status == 0, solved.message
    return solved.fun


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    random = numpy.random.default_rng(7)
    problems = [problem(random, index) for index in range(PROBLEMS)]
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "problems"
        with file.open("w") as out:
            for costs, supply, demand in problems:
                numbers = numpy.concatenate([costs.ravel(), supply, demand])
                out.write(f"{costs.shape[0]} {costs.shape[1]} " + " ".join(map(repr, numbers.tolist())) + "\n")
        subprocess.run([sys.argv[1], "transport: problems of a file"], check=True, stdout=subprocess.DEVNULL,
                       env={**os.environ, "LVTEXT_TRANSPORT": str(file)})
        ours = [float(line) for line in (pathlib.Path(folder) / "problems.out").read_text().split()]
    assert len(ours) == PROBLEMS, len(ours)
    largest = 0
    for cost, (costs, supply, demand) in zip(ours, problems):
        expected = reference(costs, supply, demand)
        difference = abs(cost - expected) / max(1, costs.max())
        if difference > TOLERANCE:
            sys.exit(f"transport: {cost!r}, scipy has {expected!r}, for {costs.shape}")
        largest = max(largest, difference)
    print(f"{PROBLEMS:,} problems agree with scipy; largest difference {largest:.1e} of the largest cost (at least 1)")


main()
