"""Peer of the Fréchet distance: pytorch-fid's function on numpy's moments.

Each line of standard input is the name of a safetensors file with the sets x and y. The answer, a
JSON line, contains the value or the error of pytorch-fid. If the name is followed by `exact`, it
also contains the exact value: the nuclear norm of the centered sets, by numpy's singular values.
"""

import json
import sys
import time
import warnings

import numpy as np
from pytorch_fid.fid_score import calculate_frechet_distance
from safetensors.numpy import load_file


def peer(x, y):
    x, y = x.astype(np.float64), y.astype(np.float64)
    return calculate_frechet_distance(x.mean(0), np.cov(x, rowvar=False),
                                      y.mean(0), np.cov(y, rowvar=False))


def exact(x, y):
    x, y = x.astype(np.float64), y.astype(np.float64)
    a = (x - x.mean(0)) / np.sqrt(len(x) - 1)
    b = (y - y.mean(0)) / np.sqrt(len(y) - 1)
    return (((x.mean(0) - y.mean(0)) ** 2).sum() + (a ** 2).sum() + (b ** 2).sum()
            - 2 * np.linalg.svd(a @ b.T, compute_uv=False).sum())


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        file, *asked = line.split()
        sets = load_file(file)
        wall, cpu = time.monotonic(), time.process_time()
        answer = {}
        try:
            answer["value"] = float(peer(sets["x"], sets["y"]))
        except ValueError as error:
            answer["error"] = str(error)
        answer |= {"seconds": time.monotonic() - wall, "cpu": time.process_time() - cpu}
        if asked:
            answer["exact"] = float(exact(sets["x"], sets["y"]))
        sys.stderr.flush()
        print(json.dumps(answer), file=sys.__stdout__, flush=True)
