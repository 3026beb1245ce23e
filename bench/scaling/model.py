#!/usr/bin/env python3
"""Predicts tokens per second of models on several nodes, from bytes, operations, and the links' latency and bandwidth.

usage: model.py                 tables of docs/scaling.md
       model.py --measured MESSAGES DELAY_MS TOKENS_PER_S    what it says of a run of links.py
"""
import argparse
import dataclasses
import math


@dataclasses.dataclass(frozen=True)
class Model:
    name: str
    layers: int
    width: int          # numbers of a hidden row
    vocab: int
    weight_bytes: float  # that a token reads: of a mixture, its experts'
    all_bytes: float     # of the file
    kv_bytes: float      # of a token of context, f16
    flops: float         # of a token of a prompt


@dataclasses.dataclass(frozen=True)
class Machine:
    name: str
    read: float     # bytes/s
    flops: float    # of int8 or bf16 products that prompts reach
    memory: float   # bytes
    price: float    # dollars an hour


@dataclasses.dataclass(frozen=True)
class Link:
    name: str
    latency: float  # seconds, one way, a small message from memory to memory
    rate: float     # bytes/s of a node


GB = 1e9
MODELS = (
    Model("8B, q8_0", 32, 4096, 128256, 8.0 * GB, 8.5 * GB, 131072, 16e9),
    Model("70B, q4_K", 80, 8192, 128256, 42 * GB, 42.5 * GB, 327680, 140e9),
    Model("400B-A17B, q4_K", 60, 4096, 248320, 9.6 * GB, 226 * GB, 122880, 34e9),
)
MACHINES = (
    Machine("desktop, 2 channels of DDR5-5600", 75 * GB, 3e12, 128 * GB, 0.25),
    Machine("EPYC 9654, 12 channels of DDR5-4800", 380 * GB, 20e12, 768 * GB, 4.0),
    Machine("Xeon 6980P, 12 channels of MRDIMM-8800", 680 * GB, 60e12, 1536 * GB, 7.0),
)
LINKS = (
    Link("1 Gbit/s Ethernet", 60e-6, 0.117 * GB),
    Link("10 Gbit/s Ethernet", 25e-6, 1.17 * GB),
    Link("100 Gbit/s RoCE", 4e-6, 12 * GB),
    Link("400 Gbit/s InfiniBand", 2e-6, 48 * GB),
)
NODES = (1, 2, 4, 8, 16, 32, 64)
FLOAT, SMALL, ORDER = 4, 16384, 1000  # bytes; floats that a rank sends of a sum in one exchange; bytes of a step's order
STEP = 512  # tokens of a prompt


def exchange(n, link, sent):
    """Seconds in which each of n ranks sends so many bytes, and gets as many."""
    return link.latency + sent / link.rate if n > 1 else 0.0


def sum_seconds(n, floats, link):
    """Of the sum over n ranks of so many floats."""
    if n == 1:
        return 0.0
    if floats * (n - 1) <= SMALL:
        return exchange(n, link, (n - 1) * floats * FLOAT)
    return 2 * exchange(n, link, (n - 1) / n * floats * FLOAT)


def wire_bytes(model, n):
    """That all ranks together send for a generated token, orders aside."""
    addends = n * (n - 1) if model.width * (n - 1) <= SMALL else 2 * (n - 1)
    sums = (2 * model.layers + 1) * addends * model.width * FLOAT
    return sums + model.vocab * FLOAT * (n - 1) / n


def decode_seconds(model, machine, link, n, context):
    memory = (model.weight_bytes + model.kv_bytes * context) / n / machine.read
    sums = (2 * model.layers + 1) * sum_seconds(n, model.width, link)
    logits = exchange(n, link, model.vocab * FLOAT * (n - 1) / n)
    order = exchange(n, link, (n - 1) * ORDER)
    return memory + sums + logits + order


def prompt_seconds(model, machine, link, n, tokens):
    """Of `tokens` tokens in steps."""
    compute = tokens * model.flops / n / machine.flops
    return compute + tokens / STEP * (2 * model.layers + 1) * sum_seconds(n, STEP * model.width, link)


def stages_decode_seconds(model, machine, link, n, context):
    """Of one text: a stage computes while the others wait."""
    memory = (model.weight_bytes + model.kv_bytes * context) / machine.read
    return memory + n * exchange(n, link, model.width * FLOAT) + exchange(n, link, (n - 1) * ORDER)


def stages_prompt_seconds(model, machine, link, n, tokens):
    """Of `tokens` tokens in steps, each in as many pieces as src/backend/ranks/micro_steps.cpp cuts."""
    pieces = max(1, min(16, STEP // 64, round(math.sqrt((n - 1) * STEP / 32))))
    tick = STEP / pieces * model.flops / n / machine.flops + exchange(n, link, STEP / pieces * model.width * FLOAT)
    return tokens / STEP * (pieces + n - 1) * tick


def fits(model, machine, n, context):
    return (model.all_bytes + model.kv_bytes * context) / n < 0.9 * machine.memory


def pays(model, machine, link, context):
    """The most nodes of which each doubling gave half as much again."""
    best = None
    for n in NODES:
        if not fits(model, machine, n, context):
            continue
        if best is None or decode_seconds(model, machine, link, best, context) / decode_seconds(model, machine, link, n, context) >= 1.5 ** (n // best).bit_length() / 1.5:
            best = n
    return best


def table(rows):
    for i, row in enumerate(rows):
        print("| " + " | ".join(map(str, row)) + " |")
        if i == 0:
            print("|" + "|".join("---" if j == 0 else "---:" for j in range(len(row))) + "|")
    print()


def tokens_table(model, machine, context):
    rows = [["link", *[f"{n}" for n in NODES]]]
    for link in LINKS:
        cells = [f"{1 / decode_seconds(model, machine, link, n, context):.1f}" if fits(model, machine, n, context) else "-" for n in NODES]
        rows.append([link.name, *cells])
    table(rows)


def pays_table(context):
    rows = [["model", "machine", *[link.name for link in LINKS]]]
    for model in MODELS:
        for machine in MACHINES:
            rows.append([model.name, machine.name, *[pays(model, machine, link, context) or "-" for link in LINKS]])
    table(rows)


def stages_table(context):
    rows = [["model", "link", "nodes", "prompt, ranks", "prompt, stages", "text, ranks", "text, stages"]]
    machine = MACHINES[1]
    for model in MODELS:
        for link in LINKS[:2]:
            for n in (2, 4, 8):
                prompts = [context / f(model, machine, link, n, context) for f in (prompt_seconds, stages_prompt_seconds)]
                texts = [1 / f(model, machine, link, n, context) for f in (decode_seconds, stages_decode_seconds)]
                rows.append([model.name, link.name, n, *[f"{x:.0f}" for x in prompts], *[f"{x:.1f}" for x in texts]])
    table(rows)


def cost_table(context):
    """Dollars for a million tokens of one text: of 10 Gbit/s links, at the number of nodes that pays."""
    link = LINKS[1]
    rows = [["model", "machine", "nodes", "tokens/s", "prompt tokens/s", "$ / million"]]
    for model in MODELS:
        for machine in MACHINES:
            n = pays(model, machine, link, context)
            if not n:
                continue
            seconds = decode_seconds(model, machine, link, n, context)
            prompt = context / prompt_seconds(model, machine, link, n, context)
            rows.append([model.name, machine.name, n, f"{1 / seconds:.1f}", f"{prompt:.0f}", f"{n * machine.price / 3600 * seconds * 1e6:.0f}"])
    table(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measured", nargs=3, type=float, metavar=("MESSAGES", "DELAY_MS", "TOKENS_PER_S"),
                        help="tokens/s at this delay of a job that has so many without one: each token waits for so many messages, "
                             "2 layers + 3 of ranks, or as many as there are stages")
    o = parser.parse_args()
    if o.measured:
        messages, delay, alone = o.measured
        print(f"{1 / (1 / alone + messages * delay / 1e3):.1f} tokens/s")
        return
    for context, name in ((8192, "8k"), (131072, "128k")):
        print(f"### Nodes that still pay, {name} tokens of context\n")
        pays_table(context)
    for model in MODELS:
        print(f"### {model.name}: tokens/s of one text with 8k tokens of context on {MACHINES[1].name}\n")
        tokens_table(model, MACHINES[1], 8192)
    print(f"### Ranks and stages: tokens/s of a prompt and of one text with 8k tokens of context, on {MACHINES[1].name}\n")
    stages_table(8192)
    print("### Cost, 8k tokens of context\n")
    cost_table(8192)


if __name__ == "__main__":
    main()
