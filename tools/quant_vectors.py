#!/usr/bin/env python3
"""Makes tests/data/quant/<format>.bin: blocks of random bytes and what the gguf package decodes them to, or the definition of a format that it lacks.

  python3 tools/quant_vectors.py tests/data/quant        (needs numpy and gguf 0.19)

A file holds 1024 elements: their blocks, then as many float32. Blocks with numbers that are not finite are drawn again.
"""
import sys
from pathlib import Path

import gguf
import numpy as np

ELEMENTS = 1024
FORMATS = """Q4_0 Q4_1 Q5_0 Q5_1 Q8_0 Q2_K Q3_K Q4_K Q5_K Q6_K Q8_K IQ4_NL IQ4_XS MXFP4 TQ1_0 TQ2_0
             IQ1_S IQ1_M IQ2_XXS IQ2_XS IQ2_S IQ3_XXS IQ3_S NVFP4 Q1_0 Q2_0""".split()


def size_of(name):
    """Elements and bytes of a block."""
    return (64, 18) if name == "Q2_0" else gguf.GGML_QUANT_SIZES[gguf.GGMLQuantizationType[name]]


def spread_bits(blocks, bits):
    """f16 scales in front of codes of so many bits, from the lowest bit of the first byte on: (scales, codes)."""
    codes = blocks[:, 2:, None] >> np.arange(0, 8, bits, dtype=np.uint8) & np.uint8(2**bits - 1)
    return blocks[:, :2].view(np.float16).astype(np.float32), codes.reshape(len(blocks), -1).astype(np.float32)


def dequantize(blocks, name):
    # The package has no decoder of these. Q8_K is of activations.
    if name == "Q8_K":
        return blocks[:, :4].view(np.float32) * blocks[:, 4:260].view(np.int8).astype(np.float32)
    if name == "Q1_0":
        scales, bits = spread_bits(blocks, 1)
        return np.where(bits > 0, scales, -scales)
    if name == "Q2_0":
        scales, codes = spread_bits(blocks, 2)
        return scales * (codes - 1)
    return gguf.quants.dequantize(blocks, gguf.GGMLQuantizationType[name])


def vectors(name, rng):
    block, size = size_of(name)
    kept = []
    while len(kept) < ELEMENTS // block:
        candidate = rng.integers(0, 256, (1, size), dtype=np.uint8)
        if np.isfinite(dequantize(candidate, name)).all():
            kept.append(candidate)
    if name == "NVFP4":  # the ends of its scales: zeros, the least and the largest, what is no number, and all with bit 7
        kept[0][0, :4] = 0x00, 0x01, 0x7e, 0x7f
        kept[1][0, :4] = 0x80, 0x81, 0xfe, 0xff
    blocks = np.concatenate(kept)
    return blocks.tobytes() + dequantize(blocks, name).astype("<f4").tobytes()


def main():
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    with np.errstate(all="ignore"):
        for seed, name in enumerate(FORMATS):
            (out / f"{name.lower()}.bin").write_bytes(vectors(name, np.random.default_rng(seed)))


if __name__ == "__main__":
    main()
