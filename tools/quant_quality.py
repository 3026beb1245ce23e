#!/usr/bin/env python3
"""What quantising loses, here and in llama.cpp: a Markdown table for docs/quantization.md.

usage: quant_quality.py path/to/skald path/to/libggml-base.so

The same random rows go through `skald quantize --pure` and through ggml_quantize_chunk; losses are the root of the (weighted)
mean square of the difference, by that of the weights. Importance is exp(normal), as uneven as that of real layers. Needs numpy
and the gguf package.
"""
import ctypes
import subprocess
import sys
import tempfile
from pathlib import Path

import gguf
import numpy as np

ROWS, COLUMNS = 256, 4096
NAME = "blk.0.ffn_up.weight"
TYPES = ["Q8_0", "Q6_K", "Q5_K_S", "Q5_1", "Q5_0", "Q4_K_S", "Q4_1", "Q4_0", "IQ4_NL", "IQ4_XS", "MXFP4_MOE", "Q3_K_S", "Q2_K", "TQ2_0",
         "TQ1_0"]
FORMATS = {"Q5_K_S": "Q5_K", "Q4_K_S": "Q4_K", "Q3_K_S": "Q3_K", "MXFP4_MOE": "MXFP4"}


def weights(rng):
    """{name: rows} with standard deviations around 0.02."""
    size = ROWS, COLUMNS
    outliers = np.where(rng.random(size) < 0.01, 8.0, 1.0)
    rows = {"normal": rng.normal(size=size), "uniform": rng.uniform(-1, 1, size), "Laplace": rng.laplace(size=size),
            "Student, 4 degrees": rng.standard_t(4, size), "normal, 1 % outliers": rng.normal(size=size) * outliers}
    return {name: (0.02 * x).astype(np.float32) for name, x in rows.items()}


def write(path, arch, tensors, **keys):
    writer = gguf.GGUFWriter(path, arch)
    for key, value in keys.items():
        writer.add_key_value(key.replace("_OF_", "."), value, gguf.GGUFValueType.get_type(value))
    for name, values in tensors.items():
        writer.add_tensor(name, values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def ours(skald, folder, x, kind, importance):
    """The rows after `skald quantize`."""
    source, target, matrix = (str(folder / f"{name}.gguf") for name in ("in", "out", "imatrix"))
    write(source, "llama", {NAME: x})
    flags = []
    if importance is not None:
        write(matrix, "llama", {f"{NAME}.in_sum2": importance[None, :], f"{NAME}.counts": np.ones((1, 1), np.float32)},
              general_OF_type="imatrix", imatrix_OF_chunk_count=1, imatrix_OF_chunk_size=512, imatrix_OF_datasets=["none"])
        flags = ["--imatrix", matrix]
    wanted = ["--tensor-type", f"{NAME}={FORMATS.get(kind, kind)}"]  # MXFP4_MOE would leave this matrix at q8_0
    subprocess.run([skald, "quantize", source, target, "Q8_0", "--pure", *wanted, *flags], check=True, capture_output=True)
    tensor = gguf.GGUFReader(target).tensors[0]
    assert tensor.tensor_type.name == FORMATS.get(kind, kind), tensor.tensor_type
    return gguf.quants.dequantize(tensor.data, tensor.tensor_type)


def theirs(library, x, kind, importance):
    """The rows after ggml_quantize_chunk."""
    kind = gguf.GGMLQuantizationType[FORMATS.get(kind, kind)]
    out = np.zeros((ROWS, gguf.quants.quant_shape_to_byte_shape((COLUMNS,), kind)[0]), np.uint8)
    pointer = ctypes.c_void_p
    library.ggml_quantize_chunk.argtypes = [ctypes.c_int, pointer, pointer, *[ctypes.c_int64] * 3, pointer]
    library.ggml_quantize_chunk.restype = ctypes.c_size_t
    size = library.ggml_quantize_chunk(int(kind), x.ctypes.data, out.ctypes.data, 0, ROWS, COLUMNS,
                                       None if importance is None else importance.ctypes.data)
    assert size == out.nbytes
    return gguf.quants.dequantize(out, kind)


def loss(x, y, w):
    return float(np.sqrt((w * (x.astype(np.float64) - y) ** 2).sum() / (w * x.astype(np.float64) ** 2).sum()))


def main():
    skald, library = sys.argv[1], ctypes.CDLL(sys.argv[2])
    rng = np.random.default_rng(1)
    rows = weights(rng)
    uneven = np.exp(rng.normal(size=COLUMNS)).astype(np.float32)
    print("| type | " + " | ".join(f"{name}{kind}" for name in rows for kind in ("", ", weighted")) + " |")
    print("|---|" + "--:|" * (2 * len(rows)))
    with tempfile.TemporaryDirectory() as folder:
        for kind in TYPES:
            cells = []
            for x in rows.values():
                for importance in (None, uneven):
                    w = np.ones(COLUMNS) if importance is None else importance.astype(np.float64)
                    a = loss(x, ours(skald, Path(folder), x, kind, importance), w)
                    b = loss(x, theirs(library, x, kind, importance), w)
                    cells.append(f"{100 * a:.2f} ({a / b:.3f})")
            print(f"| {FORMATS.get(kind, kind).lower()} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
