#!/usr/bin/env python3
"""Perplexity of a model with each type of KV cache, as a Markdown table. Needs NumPy.

usage: kv_perplexity.py IDS.txt [--model M.gguf] [--skald build/release/skald] [--types f32,f16,...]
IDS.txt has one document of token ids per line, separated by commas; `skald tokenize --ids` makes such lines.
"""
import argparse
import math
import subprocess
import tempfile

import numpy as np


def mean_loss(args, ids, extra):
    """Nats per token of one document, and the number of tokens predicted."""
    with tempfile.TemporaryDirectory() as folder:
        out = folder + "/logits.npy"
        model = ["-m", args.model] if args.model else []
        subprocess.run([args.skald, "logits", *model, "--ids", ids, "-o", out, *extra], check=True)
        logits = np.load(out).astype(np.float64)[:-1]
    targets = np.array([int(i) for i in ids.split(",")])[1:]
    logits -= logits.max(1, keepdims=True)
    losses = np.log(np.exp(logits).sum(1)) - logits[np.arange(len(targets)), targets]
    return losses.sum(), len(targets)


def perplexity(args, documents, extra):
    losses, counts = zip(*(mean_loss(args, ids, extra) for ids in documents))
    return math.exp(sum(losses) / sum(counts))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("ids")
    p.add_argument("--model")
    p.add_argument("--skald", default="build/release/skald")
    p.add_argument("--types", default="f32,f16,bf16,q8_0,q4_0")
    args = p.parse_args()
    documents = [line.strip() for line in open(args.ids) if line.strip()]
    base = perplexity(args, documents, ["-ctk", "f32", "-ctv", "f32"])
    print("| keys | values | rotated | perplexity | cost |")
    print("|---|---|---|---:|---:|")
    for kind in args.types.split(","):
        mixes = [(kind, kind)] + ([(kind, "f16"), ("f16", kind)] if kind.startswith("q") else [])
        for k, v in mixes:
            for rotate in (True, False) if kind.startswith("q") else (None,):
                extra = ["-ctk", k, "-ctv", v] + (["--no-kv-rotate"] if rotate is False else [])
                ppl = perplexity(args, documents, extra)
                label = "-" if rotate is None else "yes" if rotate else "no"
                print(f"| {k} | {v} | {label} | {ppl:.4f} | {100 * (ppl / base - 1):+.3f} % |", flush=True)


if __name__ == "__main__":
    main()
