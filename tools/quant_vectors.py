#!/usr/bin/env python3
"""Makes tests/data/quant/<format>.bin: blocks of random bytes and what the gguf package decodes them to.

  python3 tools/quant_vectors.py tests/data/quant        (needs numpy and gguf 0.19)

A file holds 1024 elements: their blocks, then as many float32. Blocks with numbers that are not finite are drawn again.
"""
import sys
from pathlib import Path

import gguf
import numpy as np

ELEMENTS = 1024
FORMATS = """Q4_0 Q4_1 Q5_0 Q5_1 Q8_0 Q2_K Q3_K Q4_K Q5_K Q6_K Q8_K IQ4_NL IQ4_XS MXFP4 TQ1_0 TQ2_0
             IQ1_S IQ1_M IQ2_XXS IQ2_XS IQ2_S IQ3_XXS IQ3_S""".split()


def dequantize(blocks, kind):
    if kind.name == "Q8_K":  # of activations: the package has no decoder
        return blocks[:, :4].view(np.float32) * blocks[:, 4:260].view(np.int8).astype(np.float32)
    return gguf.quants.dequantize(blocks, kind)


def vectors(name, rng):
    kind = gguf.GGMLQuantizationType[name]
    block, size = gguf.GGML_QUANT_SIZES[kind]
    kept = []
    while len(kept) < ELEMENTS // block:
        candidate = rng.integers(0, 256, (1, size), dtype=np.uint8)
        if np.isfinite(dequantize(candidate, kind)).all():
            kept.append(candidate)
    blocks = np.concatenate(kept)
    return blocks.tobytes() + dequantize(blocks, kind).astype("<f4").tobytes()


def main():
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    with np.errstate(all="ignore"):
        for seed, name in enumerate(FORMATS):
            (out / f"{name.lower()}.bin").write_bytes(vectors(name, np.random.default_rng(seed)))


if __name__ == "__main__":
    main()
