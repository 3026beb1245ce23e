#!/usr/bin/env python3
"""Which type llama.cpp gives each tensor of made-up models, for every mix: tests/data/quant/mixes.json.

usage: quant_mixes.py path/to/llama-quantize > tests/data/quant/mixes.json

The models hold the tensors that choosing looks at, with few and short rows. Needs the gguf package.
"""
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import gguf
import numpy

MIXES = ["TQ1_0", "TQ2_0", "Q2_K_S", "Q2_K", "Q3_K_S", "Q3_K_M", "Q3_K_L", "IQ4_XS", "MXFP4_MOE", "IQ4_NL", "Q4_0", "Q4_K_S", "Q4_K_M",
         "Q4_1", "Q5_0", "Q5_K_S", "Q5_K_M", "Q5_1", "Q6_K", "Q8_0", "F16", "BF16", "F32", "COPY"]
DENSE = ["attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down"]
EXPERTS = ["ffn_gate_exps", "ffn_up_exps", "ffn_down_exps"]

# name: architecture, layers, heads, heads of keys, experts, columns, matrices of a layer, others
MODELS = {
    "llama": ("llama", 22, 4, 4, 0, 256, DENSE, ["output"]),
    "llama_gqa": ("llama", 32, 8, 2, 0, 256, DENSE, ["output"]),
    "llama_70b": ("llama", 80, 8, 1, 0, 256, DENSE, ["output"]),
    "llama_tied": ("llama", 5, 8, 2, 0, 256, DENSE, []),
    "short_rows": ("qwen2", 6, 4, 2, 0, 96, DENSE, ["output"]),
    "odd_rows": ("llama", 3, 2, 2, 0, 80, DENSE, ["output"]),
    "mixtral": ("llama", 16, 8, 2, 8, 256, DENSE[:4] + ["ffn_gate_inp"] + EXPERTS, ["output"]),
    "qwen3moe": ("qwen3moe", 12, 8, 1, 128, 256, DENSE[:4] + ["ffn_gate_inp"] + EXPERTS, ["output"]),
    "qwen2moe": ("qwen2moe", 24, 4, 4, 60, 256, DENSE[:4] + ["ffn_gate_inp", "ffn_down_shexp", "ffn_gate_inp_shexp"] + EXPERTS, ["output"]),
    "falcon": ("falcon", 32, 8, 1, 0, 256, ["attn_qkv", "attn_output", "ffn_up", "ffn_down"], ["output"]),
    "gpt2": ("gpt2", 12, 4, 4, 0, 256, ["attn_qkv", "attn_output", "ffn_up", "ffn_down"], ["output", "position_embd"]),
}


def tensors(model):
    """(name, shape) of all, rows first. The test builds the same list."""
    arch, layers, heads, kv_heads, experts, columns, parts, others = model
    out = [["token_embd.weight", [8, columns]], ["output_norm.weight", [columns]]]
    out += [[f"{name}.weight", [8, columns]] for name in others]
    for layer in range(layers):
        out.append([f"blk.{layer}.attn_norm.weight", [columns]])
        for part in parts:
            shape = [2, 4, columns] if part in EXPERTS else [8, columns]
            out.append([f"blk.{layer}.{part}.weight", shape])
    return out


def metadata(model):
    arch, layers, heads, kv_heads, experts, columns, parts, others = model
    keys = {"block_count": layers, "context_length": 64, "embedding_length": columns, "feed_forward_length": columns, "vocab_size": 8,
            "attention.head_count": heads, "attention.head_count_kv": kv_heads}
    if experts:
        keys.update({"expert_count": experts, "expert_used_count": 2, "expert_feed_forward_length": columns})
    return keys


def write(name, path):
    model = MODELS[name]
    writer = gguf.GGUFWriter(path, model[0])
    for key, value in metadata(model).items():
        writer.add_uint32(f"{model[0]}.{key}", value)
    writer.add_float32(f"{model[0]}.attention.layer_norm_rms_epsilon", 1e-5)
    writer.add_float32(f"{model[0]}.attention.layer_norm_epsilon", 1e-5)
    for tensor, shape in tensors(model):
        writer.add_tensor(tensor, numpy.zeros(shape, numpy.float32 if len(shape) == 1 else numpy.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


LINE = re.compile(r"\[ *\d+/ *\d+\] +(\S+) .* type = +(\S+), size = [^(]*(?:\((\S+)\))?")


def types(quantize, path, mix):
    """{tensor: type} as the program says."""
    run = subprocess.run([quantize, "--dry-run", path, mix], capture_output=True, text=True, errors="replace")
    if run.returncode != 0:
        raise RuntimeError(f"{mix}: {run.stdout}{run.stderr}")
    # Warnings about fallbacks stand before the lines of tensors.
    found = [LINE.search(line) for line in (run.stdout + run.stderr).splitlines()]
    return {m[1]: (m[3] or m[2]).lower() for m in found if m}


def places(names, found):
    """{type: places in the list, the most frequent type having none: it has all others}."""
    by_type = {}
    for i, name in enumerate(names):
        by_type.setdefault(found[name], []).append(i)
    most = max(by_type, key=lambda t: len(by_type[t]))
    return {t: [] if t == most else where for t, where in by_type.items()}


def main():
    quantize = sys.argv[1]
    out = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, model in MODELS.items():
            path = str(Path(folder) / f"{name}.gguf")
            write(name, path)
            names = [tensor for tensor, _ in tensors(model)]
            chosen = {mix: types(quantize, path, mix) for mix in MIXES}
            out[name] = {"architecture": model[0], "metadata": metadata(model), "columns": model[5],
                         "others": model[7], "layers": model[1], "parts": model[6], "experts": EXPERTS,
                         "types": {mix: places(names, found) for mix, found in chosen.items()}}
    print("{" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v)}" for k, v in out.items()) + "}")


if __name__ == "__main__":
    main()
