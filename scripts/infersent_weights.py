#!/usr/bin/env python3
"""Converts InferSent weights (infersent1.pkl) to safetensors, for `encoder: {weights: FILE}`.

    .lvtext-env/bin/python scripts/infersent_weights.py infersent1.pkl infersent1.safetensors

Reads a state dictionary written by torch.save, in the zip format or the legacy format, without
PyTorch and without executing code of the file: only tensors are accepted. The LSTM gates have the
order i, f, g, o in both formats, so only names change (enc_lstm.* becomes encoder.*).
"""

import collections
import io
import pickle
import sys
import zipfile

import numpy
from safetensors.numpy import save_file

LEGACY_MAGIC = 0x1950A86A20F9469CFC6C
TYPES = {"FloatStorage": "<f4", "DoubleStorage": "<f8", "HalfStorage": "<f2"}


class Tensor:
    """Metadata of a pickled tensor; its values are in a storage."""

    def __init__(self, storage, offset, shape, strides, *_):
        self.storage, self.offset, self.shape, self.strides = storage, offset, shape, strides

    def array(self, storages):
        kind, key = self.storage
        flat = numpy.frombuffer(storages[key], kind)
        steps = [step * flat.itemsize for step in self.strides]
        view = numpy.lib.stride_tricks.as_strided(flat[self.offset:], self.shape, steps)
        return numpy.ascontiguousarray(view, dtype=numpy.float32)


class Reader(pickle.Unpickler):
    def find_class(self, module, name):
        if name in TYPES:
            return TYPES[name]
        known = {"OrderedDict": collections.OrderedDict, "_rebuild_tensor_v2": Tensor,
                 "_rebuild_parameter": lambda tensor, *_: tensor}
        if name in known:
            return known[name]
        raise pickle.UnpicklingError(
            f"it contains {module}.{name}, but only a state dictionary of tensors is supported "
            "(load a whole model with InferSent's own code and save model.state_dict())")

    def persistent_load(self, saved):
        _, kind, key, _, _ = saved[:5]
        return kind, str(key)


def read_zip(path):
    with zipfile.ZipFile(path) as archive:
        root = next(n for n in archive.namelist() if n.endswith("data.pkl"))[: -len("data.pkl")]
        state = Reader(io.BytesIO(archive.read(root + "data.pkl"))).load()
        keys = [n for n in archive.namelist() if n.startswith(root + "data/")]
        return state, {key.rsplit("/", 1)[1]: archive.read(key) for key in keys}


def read_legacy(path):
    with open(path, "rb") as file:
        if pickle.Unpickler(file).load() != LEGACY_MAGIC:
            raise pickle.UnpicklingError("not a file written by torch.save")
        for _ in ("protocol", "system"):
            pickle.Unpickler(file).load()
        sizes = {}

        class Sizes(Reader):
            def persistent_load(self, saved):
                sizes[str(saved[2])] = numpy.dtype(saved[1]).itemsize
                return super().persistent_load(saved)

        state = Sizes(file).load()
        storages = {}
        for key in pickle.Unpickler(file).load():
            count = int.from_bytes(file.read(8), "little")
            storages[str(key)] = file.read(count * sizes[str(key)])
        return state, storages


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    source, target = sys.argv[1:]
    try:
        read = read_zip if zipfile.is_zipfile(source) else read_legacy
        state, storages = read(source)
        prefix = "enc_lstm."
        tensors = {"encoder." + name[len(prefix):]: value.array(storages)
                   for name, value in state.items() if name.startswith(prefix)}
    except (pickle.UnpicklingError, EOFError, KeyError, AttributeError, ValueError) as error:
        sys.exit(f"{source}: {error}")
    except OSError as error:
        sys.exit(f"{source}: {error.strerror}")
    if not tensors:
        sys.exit(f"{source}: not an InferSent encoder: no tensor is named enc_lstm.*")
    save_file(tensors, target, {"format": "pt"})
    print(f"{target}: {len(tensors)} tensors")


if __name__ == "__main__":
    main()
