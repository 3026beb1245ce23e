"""Train the embedded model on the CPU: seeded, resumable, every size is a flag.

    python train.py --tokenizer build/tokenizer.json --out build/run --compile

A run interrupted and started again with the same flags goes on from its last
checkpoint and sees the same batches as one that was never interrupted.
"""

import argparse
import json
import math
import os
import time

import torch
import torch.nn.functional as F

import data
import tokenizer
from model import Config, Llama, generate


def arguments():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, value in Config().as_dict().items():
        p.add_argument("--" + name.replace("_", "-"), type=type(value), default=value)
    p.add_argument("--tokenizer", default="build/tokenizer.json")
    p.add_argument("--out", default="build/run", help="folder for checkpoints and the log")
    p.add_argument("--mix", default="corpus:stories", help="module:function=weight,... (see data.py)")
    p.add_argument("--docs", type=int, default=60000, help="documents generated per source")
    p.add_argument("--init", help="start from the weights of this checkpoint or GGUF file")
    p.add_argument("--steps", type=int, default=4000, help="length of the learning-rate schedule")
    p.add_argument("--until", type=int, help="stop after this step; the schedule stays that of --steps")
    p.add_argument("--batch-tokens", type=int, default=3072)
    p.add_argument("--lengths", default="384,384,384,384,384,384,384,1024", help="window lengths, one per step in turn")
    p.add_argument("--lr", type=float, default=3e-3)
    p.add_argument("--warmup", type=int, default=100)
    p.add_argument("--weight-decay", type=float, default=0.1)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--threads", type=int, default=2)
    p.add_argument("--compile", action="store_true", help="use torch.compile (needs a C++ compiler)")
    p.add_argument("--float32", action="store_true", help="do not use bfloat16 autocast")
    p.add_argument("--every", type=int, default=200, help="steps between evaluations and checkpoints")
    return p.parse_args()


def learning_rate(step, args):
    """Linear warm-up, then a cosine down to a fiftieth of the peak."""
    if step < args.warmup:
        return args.lr * (step + 1) / args.warmup
    t = min(1.0, (step - args.warmup) / max(1, args.steps - args.warmup))
    return args.lr * (0.02 + 0.98 * 0.5 * (1 + math.cos(math.pi * t)))


def optimizer(model, args):
    """AdamW; norms are not decayed."""
    matrices = [p for p in model.parameters() if p.dim() == 2]
    vectors = [p for p in model.parameters() if p.dim() < 2]
    groups = [dict(params=matrices, weight_decay=args.weight_decay), dict(params=vectors, weight_decay=0.0)]
    return torch.optim.AdamW(groups, lr=args.lr, betas=(0.9, 0.95), eps=1e-8, foreach=True)


def loss_of(model, inputs, targets, bf16):
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=bf16):
        logits = model(inputs)
    return F.cross_entropy(logits.float().flatten(0, 1), targets.flatten())


@torch.no_grad()
def held_out(model, mixture, bf16, batches=8):
    """Mean loss on fixed batches of documents that training never sees."""
    model.eval()
    losses = [float(loss_of(model, *mixture.batch(i, 16, 384), bf16)) for i in range(batches)]
    model.train()
    return sum(losses) / len(losses)


def build_data(args, tok):
    """(training mixture, held-out mixture), generated from different seeds."""
    names, weights = zip(*data.parse_mixture(args.mix))
    make = lambda seed, docs: data.Mixture([data.Packed(n, tok, seed, docs) for n in names], weights, args.seed)
    return make(args.seed, args.docs), make(args.seed + 1_000_003, 2000)


def save(path, model, opt, cfg, step, tokens):
    torch.save(dict(model=model.state_dict(), opt=opt.state_dict(), config=cfg.as_dict(), step=step,
                    tokens=tokens), path + ".new")
    os.replace(path + ".new", path)


def initial_weights(path, cfg):
    """Weights to continue from; a GGUF file gives its dequantised ones."""
    if path.endswith(".gguf"):
        import export
        return export.read_back(path, cfg).state_dict()
    return torch.load(path)["model"]


def sample(model, tok, prompt="Once upon a time", temperature=0.8, count=80):
    end = tok.token_to_id(tokenizer.END)
    ids = generate(model, [end] + tok.encode(prompt).ids, count, temperature, end)
    return tok.decode(ids)


def main():
    args = arguments()
    torch.manual_seed(args.seed)
    torch.set_num_threads(args.threads)
    os.makedirs(args.out, exist_ok=True)
    cfg = Config(**{k: getattr(args, k) for k in Config().as_dict()})
    tok = tokenizer.load(args.tokenizer)
    train_set, test_set = build_data(args, tok)
    print(f"{sum(len(s.stream) for s in train_set.sources)} tokens generated", flush=True)

    model = Llama(cfg)
    opt = optimizer(model, args)
    path, step, tokens = os.path.join(args.out, "last.pt"), 0, 0
    if os.path.exists(path):
        state = torch.load(path)
        model.load_state_dict(state["model"])
        opt.load_state_dict(state["opt"])
        step, tokens = state["step"], state["tokens"]
        print(f"resumed at step {step} of {args.steps}", flush=True)
    elif args.init:
        model.load_state_dict(initial_weights(args.init, cfg))
    run = torch.compile(model, dynamic=False) if args.compile else model
    bf16, lengths = not args.float32, [int(n) for n in args.lengths.split(",")]
    print(f"{sum(p.numel() for p in model.parameters())} parameters, {json.dumps(vars(args))}", flush=True)

    began = time.time()
    last = min(args.steps, args.until or args.steps)
    while step < last:
        length = lengths[step % len(lengths)]
        for group in opt.param_groups:
            group["lr"] = learning_rate(step, args)
        loss = loss_of(run, *train_set.batch(step, max(1, args.batch_tokens // length), length), bf16)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        opt.step()
        step, tokens = step + 1, tokens + args.batch_tokens // length * length
        if step % 20 == 0:
            print(f"step {step} loss {loss.item():.4f} tokens {tokens} seconds {time.time() - began:.0f}", flush=True)
        if step % args.every == 0 or step == last:
            print(f"held-out {held_out(model, test_set, bf16):.4f}\n{sample(model, tok)}", flush=True)
            save(path, model, opt, cfg, step, tokens)


if __name__ == "__main__":
    main()
