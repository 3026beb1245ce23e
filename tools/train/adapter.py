"""Train an adapter (LoRA) of the embedded model to another kind of story, on the CPU.

    python adapter.py --out build/skald-tiny-space

makes build/skald-tiny-space.gguf and, beside it, .json with greedy ids of the base and of the adapted model.
Model, tokenizer and frozen weights come from the GGUF file alone. The run is seeded.
"""

import argparse
import json
import os
import time

import torch

import adapter_file
import data
import lora
import tokenizer
from export import greedy, read_back
from model import Config
from train import held_out, learning_rate, loss_of, sample

PROMPTS = ["Once upon a time", "One day,"]


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--model", default="../../assets/skald-tiny.gguf", help="GGUF file of export.py")
    p.add_argument("--out", default="build/skald-tiny-space", help="path without the extension")
    p.add_argument("--peft", metavar="FOLDER", help="also write the folder that the library PEFT would")
    p.add_argument("--mix", default="space:stories", help="module:function=weight,... (see data.py)")
    p.add_argument("--docs", type=int, default=6000, help="documents generated per source")
    p.add_argument("--rank", type=int, default=8)
    p.add_argument("--alpha", type=int, default=16)
    p.add_argument("--steps", type=int, default=1000)
    p.add_argument("--batch-tokens", type=int, default=3072)
    p.add_argument("--length", type=int, default=384, help="window length")
    p.add_argument("--lr", type=float, default=5e-3)
    p.add_argument("--warmup", type=int, default=20)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--float32", action="store_true", help="do not use bfloat16 autocast")
    p.add_argument("--greedy", type=int, default=64, help="reference tokens per prompt")
    return p.parse_args()


def mixture(args, tok, seed, docs):
    names, weights = zip(*data.parse_mixture(args.mix))
    return data.Mixture([data.Packed(name, tok, seed, docs) for name in names], weights, args.seed)


def train(model, changes, batches, args):
    """Trains the matrices of the changes with AdamW; the model's own weights are frozen."""
    matrices = [m for change in changes.values() for m in (change.a, change.b)]
    opt, began = torch.optim.AdamW(matrices, lr=args.lr, betas=(0.9, 0.95), weight_decay=0.0, foreach=True), time.time()
    for step in range(args.steps):
        opt.param_groups[0]["lr"] = learning_rate(step, args)
        batch = batches.batch(step, args.batch_tokens // args.length, args.length)
        loss = loss_of(model, *batch, not args.float32)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(matrices, 1.0)
        opt.step()
        if (step + 1) % 20 == 0:
            print(f"step {step + 1} loss {loss.item():.4f} seconds {time.time() - began:.0f}", flush=True)


def reference(model, tok, count):
    """The greedy ids of each prompt, with their margins."""
    cases = []
    for prompt in PROMPTS:
        ids = [tok.token_to_id(tokenizer.END)] + tok.encode(prompt).ids
        out, margins = greedy(model, ids, count)
        cases.append(dict(prompt=prompt, ids=ids, greedy=out, margins=margins, text=tok.decode(out)))
    return cases


def main():
    args = arguments()
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    os.makedirs(os.path.dirname(args.out) or ".", exist_ok=True)
    cfg, tok = Config(), tokenizer.from_gguf(args.model)
    model = read_back(args.model, cfg)
    train_set, test_set = mixture(args, tok, args.seed, args.docs), mixture(args, tok, args.seed + 1_000_003, 1000)
    print(f"{sum(len(s.stream) for s in train_set.sources)} tokens generated", flush=True)
    base_loss, base_cases = held_out(model, test_set, False), reference(model, tok, args.greedy)

    changes = lora.adapt(model, args.rank, args.alpha)
    print(f"{sum(c.a.numel() + c.b.numel() for c in changes.values())} parameters, {json.dumps(vars(args))}", flush=True)
    train(model, changes, train_set, args)

    name, path = os.path.basename(args.out), args.out + ".gguf"
    lora.round_to_f16(changes)
    if args.peft:
        adapter_file.write_peft(args.peft, cfg, changes, args.alpha, args.rank, "skald-tiny")
    adapter_file.write_gguf(path, cfg, changes, args.alpha, name)
    adapter_file.read_gguf(path, cfg, changes)
    about = "greedy ids and margins (top1 - top2 logit) in float32 on the matrices of both GGUF files"
    with open(args.out + ".json", "w", encoding="utf-8") as f:
        json.dump(dict(adapter=os.path.basename(path), model=os.path.basename(args.model), about=about, base=base_cases,
                       adapted=reference(model, tok, args.greedy)), f, indent=1)
    print(f"held-out loss: base {base_loss:.4f}, adapted {held_out(model, test_set, False):.4f}")
    print(f"{path}: {os.path.getsize(path)} bytes\n{sample(model, tok)}")


if __name__ == "__main__":
    main()
