#!/usr/bin/env python3
"""Converts QuickThought weights (Logeswaran and Lee 2018) for `import: quick_thought`.

    .lvtext-env/bin/python scripts/quick_thought_weights.py CHECKPOINT OUT [--vocabulary FILE | --expanded PREFIX]

CHECKPOINT is a TensorFlow checkpoint (a folder or a prefix; needs the package tensorflow) or an .npz file
with the same names. Writes OUT.safetensors and, except for a model with the frozen vectors of GloVe, which has
neither option, OUT.vectors.bin (word2vec). --vocabulary: the words of the checkpoint's own tables, one a line.
--expanded: tables after vocabulary expansion, PREFIX.txt and .npy and PREFIX_out.txt and .npy.
"""

import argparse
import re
import sys

import numpy
from safetensors.numpy import save_file

SPECIAL_ROWS = 4  # padding, BOS, EOS and the unknown token come before the words
GRU = re.compile(r"^encoder(_out)?/(?:.*/)?(fw|bw)/(?:.*/)?(gates|candidate)/(kernel|weights|bias|biases)$")


def read_checkpoint(path):
    if path.endswith(".npz"):
        with numpy.load(path) as file:
            return dict(file)
    try:
        import tensorflow
    except ImportError:
        sys.exit(f"{path}: the package tensorflow is needed for a checkpoint; or save its variables as an .npz file")
    reader = tensorflow.train.load_checkpoint(path)
    names = reader.get_variable_to_shape_map()
    return {name: reader.get_tensor(name) for name in names if GRU.match(name) or name.startswith("word_embedding")}


def encoder_tensors(variables):
    """The tensors of both encoders. TensorFlow multiplies [x; h] by a kernel [I + H, outputs]."""
    parts = {}
    for name, value in variables.items():
        found = GRU.match(name)
        if found:
            out, direction, gates, kind = found.groups()
            parts[out or "", direction, gates, kind[0] == "b"] = numpy.asarray(value, numpy.float32)
    tensors = {}
    for out in ("", "_out"):
        for direction, suffix in (("fw", ""), ("bw", "_reverse")):
            try:
                kernels = [parts[out, direction, gates, False].T for gates in ("gates", "candidate")]
                biases = [parts[out, direction, gates, True] for gates in ("gates", "candidate")]
            except KeyError:
                sys.exit(f"no GRU of encoder{out}/{direction} in the checkpoint")
            kernel = numpy.concatenate(kernels)
            hidden = kernel.shape[0] // 3
            prefix = f"encoder{out}."
            tensors[prefix + "weight_ih_l0" + suffix] = numpy.ascontiguousarray(kernel[:, :-hidden])
            tensors[prefix + "weight_hh_l0" + suffix] = numpy.ascontiguousarray(kernel[:, -hidden:])
            tensors[prefix + "bias_ih_l0" + suffix] = numpy.concatenate(biases)
    return tensors


def read_words(path):
    with open(path, encoding="utf-8") as file:
        return [line.strip() for line in file]


def word_tables(variables, vocabulary, expanded):
    """The words, the vectors of f and those of g, in one order; None if there are none."""
    if vocabulary:
        words = read_words(vocabulary)
        tables = [variables["word_embedding" + out][:len(words)] for out in ("", "_out")]
        return words[:len(tables[0])], *tables
    if not expanded:
        return None
    words, row_of, tables = [], {}, []
    for out in ("", "_out"):
        own = read_words(expanded + out + ".txt")
        table = numpy.load(expanded + out + ".npy")
        if not words:
            words = own
        else:
            row_of = {word: row for row, word in enumerate(own)}
            if set(row_of) != set(words):
                sys.exit(f"{expanded}.txt and {expanded}_out.txt have different words")
            table = table[[row_of[word] for word in words]]
        tables.append(table)
    return words, *tables


def write_word2vec(path, words, table):
    with open(path, "wb") as file:
        file.write(f"{len(words)} {table.shape[1]}\n".encode())
        for word, row in zip(words, table):
            file.write(word.encode() + b" " + numpy.asarray(row, "<f4").tobytes() + b"\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkpoint")
    parser.add_argument("out")
    tables = parser.add_mutually_exclusive_group()
    tables.add_argument("--vocabulary")
    tables.add_argument("--expanded")
    arguments = parser.parse_args()
    try:
        variables = read_checkpoint(arguments.checkpoint)
        tensors = encoder_tensors(variables)
        found = word_tables(variables, arguments.vocabulary, arguments.expanded)
    except (OSError, KeyError, ValueError) as error:
        sys.exit(f"{arguments.checkpoint}: {error}")
    if found:
        words, table, table_out = found
        special = numpy.zeros((SPECIAL_ROWS, table_out.shape[1]), numpy.float32)
        tensors["words_out.weight"] = numpy.concatenate([special, numpy.asarray(table_out, numpy.float32)])
        write_word2vec(arguments.out + ".vectors.bin", words, table)
    save_file(tensors, arguments.out + ".safetensors", {"format": "pt"})
    print(f"{arguments.out}.safetensors: {len(tensors)} tensors")


if __name__ == "__main__":
    main()
