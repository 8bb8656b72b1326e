#!/usr/bin/env python3
"""all-MiniLM-L6-v2 against the package sentence-transformers: equal vectors, then speed on real lines.

    tests/benchmarks/sbert.py LVTEXT EXPORTED MIRROR [--lines 10000] [--blocks 3]

LVTEXT: build/release/lvtext; EXPORTED: the folder of `lvtext checkpoint export` of the imported model
(tests/peers/sbert.py makes one). Both programs use one thread, in turns, and are measured in CPU time, so
that other programs on the machine matter less. Both include tokenization. The time of lvtext is that of `encode` less
that for one line (start and loading); it includes writing the vectors as text. Batches of the peer are its default, 32, of
lines sorted by length.
"""
import argparse
import gzip
import os
import pathlib
import resource
import subprocess
import tempfile
import time

os.environ.update(OMP_NUM_THREADS="1", MKL_NUM_THREADS="1", HF_HUB_OFFLINE="1", TOKENIZERS_PARALLELISM="false")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("lvtext", type=pathlib.Path)
    parser.add_argument("exported", type=pathlib.Path)
    parser.add_argument("mirror", type=pathlib.Path)
    parser.add_argument("--lines", type=int, default=10000)
    parser.add_argument("--blocks", type=int, default=3)
    arguments = parser.parse_args()
    import numpy
    import sentence_transformers
    import torch
    from sentence_transformers import models

    torch.set_num_threads(1)
    text = gzip.open(arguments.mirror / "news" / "fnc1_sentences.txt.gz", "rt", newline="\n").read().split("\n")
    lines = [line for line in text if line.strip()]
    lines = lines[:: len(lines) // arguments.lines][: arguments.lines]
    folder = str(arguments.mirror / "models" / "all-minilm-l6-v2")
    peer = sentence_transformers.SentenceTransformer(
        modules=[models.Transformer(folder, max_seq_length=256), models.Pooling(384, pooling_mode="mean"),
                 models.Normalize()], device="cpu")

    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)

        def ours(some):
            (scratch / "lines").write_text("\n".join(some) + "\n")
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            subprocess.run([arguments.lvtext, "encode", arguments.exported, "--input", scratch / "lines", "--output",
                            scratch / "vectors"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

        def theirs(some):
            before = time.process_time()
            vectors = peer.encode(some)
            return time.process_time() - before, vectors

        theirs(lines[:64])  # warm
        ratios = []
        for _ in range(arguments.blocks):
            own = ours(lines) - ours(lines[:1])
            (scratch / "lines").write_text("")
            other, vectors = theirs(lines)
            ratios.append(other / own)
            print(f"{len(lines):,} lines: lvtext {len(lines) / own:.1f}, sentence-transformers "
                  f"{sentence_transformers.__version__} {len(lines) / other:.1f} lines per CPU second: "
                  f"{other / own:.2f} times as fast", flush=True)
        ours(lines)
        difference = numpy.abs(numpy.loadtxt(scratch / "vectors") - vectors).max()
    print(f"median: {numpy.median(ratios):.2f}; largest difference of a component: {difference:.1e}")


main()
