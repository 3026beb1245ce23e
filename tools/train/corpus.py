"""Generate the synthetic story corpus: deterministic for a seed, no exact duplicates.

    python corpus.py --seed 1 --stories 5            # print a few stories
    python corpus.py --seed 1 --stories 150000 --out stories.txt

The grammar is in words.py (lists) and plots_*.py (templates); engine.py renders
it. A corpus file holds one story per record, records separated by SEPARATOR.
"""

import argparse
import importlib
import random
import sys

import plots_a
import plots_b
import plots_c
import plots_shared
from engine import Plot, tell

SEPARATOR = "<|endoftext|>"

PLOTS = {name: Plot(text + "@finish\n")
         for name, text in {**plots_a.PLOTS, **plots_b.PLOTS, **plots_c.PLOTS}.items()}
SHARED = {name: Plot(text) for name, text in plots_shared.SHARED.items()}


def different(seed, count, write, min_words=60, max_words=260):
    """Yield `count` different texts that `write(rng)` returns."""
    rng = random.Random(seed)
    seen = set()
    while len(seen) < count:
        text = write(rng)
        key = hash(text)
        if key in seen or not min_words <= len(text.split()) <= max_words:
            continue
        seen.add(key)
        yield text


def stories(seed, count):
    """Yield `count` different stories for `seed`."""
    names = sorted(PLOTS)
    return different(seed, count, lambda rng: tell(rng, PLOTS[rng.choice(names)], SHARED))


def source(name):
    """The generator function called "module:function"."""
    module, function = name.split(":")
    return getattr(importlib.import_module(module), function)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--source", default="corpus:stories", help="module:function of the text generator")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--stories", type=int, default=5)
    parser.add_argument("--out", help="file to write; standard output if absent")
    args = parser.parse_args()
    out = open(args.out, "w", encoding="utf-8") if args.out else sys.stdout
    for text in source(args.source)(args.seed, args.stories):
        out.write(text + "\n" + SEPARATOR + "\n")
    if args.out:
        out.close()


if __name__ == "__main__":
    main()
