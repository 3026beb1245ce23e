"""Training data: text generators mixed by weight, tokenised and cut into windows.

A source is a function `f(seed, count)` yielding `count` texts, named
"module:function" (the story grammar is "corpus:stories"). A mixture such as
"corpus:stories=3,recall:facts=1" draws each window from one of its sources with
those weights, so a new kind of text needs a generator and a flag, no change here.
"""

import itertools

import numpy as np
import torch

from corpus import source
from tokenizer import END


def parse_mixture(text):
    """"a:f=3,b:g" to [("a:f", 3.0), ("b:g", 1.0)]."""
    pairs = (part.split("=") for part in text.split(","))
    return [(p[0], float(p[1]) if len(p) > 1 else 1.0) for p in pairs]


class Packed:
    """One source's documents as one token stream: END doc END doc ... END."""

    def __init__(self, name, tok, seed, count, chunk=2000):
        end = tok.token_to_id(END)
        texts, parts, starts, total = source(name)(seed, count), [], [], 0
        while batch := list(itertools.islice(texts, chunk)):
            for enc in tok.encode_batch(batch):
                starts.append(total)
                parts.append(np.array([end] + enc.ids, dtype=np.uint16))
                total += len(parts[-1])
        parts.append(np.array([end], dtype=np.uint16))
        self.name, self.stream = name, np.concatenate(parts)
        self.starts = np.array(starts, dtype=np.int64)

    def window(self, rng, length):
        """length+1 tokens from a random document's beginning on, into the next documents."""
        last = int(np.searchsorted(self.starts, len(self.stream) - length - 1, side="right"))
        start = self.starts[rng.integers(last)]
        return self.stream[start:start + length + 1]


class Mixture:
    """Batches (inputs, targets) of one length drawn from several sources."""

    def __init__(self, sources, weights, seed):
        self.sources, self.seed = sources, seed
        self.weights = np.array(weights) / sum(weights)

    def batch(self, step, size, length):
        """The batch of training step `step`: depends on (seed, step) only, so runs can resume."""
        rng = np.random.default_rng((self.seed, step))
        picks = rng.choice(len(self.sources), size=size, p=self.weights)
        rows = [self.sources[i].window(rng, length) for i in picks]
        block = torch.from_numpy(np.stack(rows).astype(np.int64))
        return block[:, :-1], block[:, 1:]
