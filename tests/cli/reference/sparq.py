"""What sparse decoding means, in double precision: SparQ (Ribar et al., arXiv 2312.04985), with the components that score
the keys chosen by |q| times the spread of the keys (docs/long-context.md).

A row is one token on one KV head, whose keys `group` query heads share:

    q        (group, d)   the queries
    keys     (n, d)       as the cache holds them, in the order of their positions; the row's own is the last
    indexed  (n, d)       the same keys as the index holds them
    values   (n, d_v)
    visible  (n)          whether the row sees a key
"""
import numpy as np

PAGE = 64  # keys of a page, which begins at a multiple of it


def whole_pages(visible):
    """The first positions of the pages all of whose keys the row sees."""
    return [at for at in range(0, len(visible) - PAGE + 1, PAGE) if visible[at:at + PAGE].all()]


def spread(indexed, visible):
    """(d): the standard deviation of each component over the keys of whole pages; ones where the row sees no whole page."""
    pages = [indexed[at:at + PAGE] for at in whole_pages(visible)]
    if not pages:
        return np.ones(indexed.shape[1])
    n = PAGE * len(pages)
    mean = sum(page.sum(0) for page in pages) / n
    square = sum((page * page).sum(0) for page in pages) / n
    return np.sqrt(np.maximum(square - mean * mean, 0))


def weights(q, sigma):
    """(group, d): what each component counts. By |q| alone where the spread says nothing about one of the heads."""
    w = np.abs(q) * sigma
    sums = w.sum(1)
    return w if (np.isfinite(sums) & (sums > 0)).all() else np.abs(q)


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def dense(q, keys, values):
    return softmax(q @ keys.T / np.sqrt(q.shape[1])) @ values


class Sparq:
    """k1 components score all keys, and k2 keys are attended to. Of these, `local` are the most recent ones: a quarter if it is
    not given. With `mean`, the mean value stands in for the other keys. (That is the mean over the visible keys. Where a window
    ends within a run of keys, the engine counts the whole run.)"""

    def __init__(self, k1, k2, local=None, mean=False, choice="spread"):
        self.k1, self.k2, self.mean, self.choice = k1, k2, mean, choice
        self.local = min(k2 // 4 if local is None else local, k2)
        self.least_gap = np.inf  # how much larger what was chosen was than what was not, where that was closest

    def attend(self, q, keys, indexed, values, visible):
        """(group, d_v)"""
        keys, values = keys[visible], values[visible]
        if self.k2 >= len(keys):
            return dense(q, keys, values)
        by_spread = self.choice == "spread"
        w = weights(q, spread(indexed, visible) if by_spread else np.ones(q.shape[1]))
        shares = self.approximate(q, w, keys)
        kept = self.choose(shares.sum(0))
        out = dense(q, keys[kept], values[kept])
        if not self.mean:
            return out
        alpha = shares[:, kept].sum(1, keepdims=True)
        return alpha * out + (1 - alpha) * values.mean(0)

    def approximate(self, q, w, keys):
        """(group, n): the softmax of scores of the k1 components that count most in the group. Each head's is the warmer the less
        of its weight these hold."""
        chosen = self.largest(w.sum(0), self.k1)
        held = w[:, chosen].sum(1, keepdims=True) / w.sum(1, keepdims=True)
        return softmax(q[:, chosen] @ keys[:, chosen].T / np.sqrt(q.shape[1] * held))

    def choose(self, rank):
        """The best keys, and the most recent ones in any case."""
        others = len(rank) - self.local
        best = self.largest(rank[:others], self.k2 - self.local)
        return np.concatenate([best, np.arange(others, len(rank))])

    def largest(self, x, n):
        """The places of the n largest numbers; of equal ones, the first."""
        order = np.argsort(-x, kind="stable")
        if 0 < n < len(x):
            self.least_gap = min(self.least_gap, 1 - x[order[n]] / x[order[n - 1]])
        return order[:n]
