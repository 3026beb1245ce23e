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
    ends within a run of keys, the engine counts the whole run.) From 1024 keys on, those of whole pages are scored by an
    index of F16."""

    INDEX_FROM = 1024

    def __init__(self, k1, k2, local=None, mean=False, choice="spread"):
        self.k1, self.k2, self.mean, self.choice = k1, k2, mean, choice
        self.local = min(k2 // 4 if local is None else local, k2)
        self.least_gap = np.inf  # how much larger what was chosen was than what was not, where that was closest

    def of_head(self, layer, kv):
        """The rule of one KV head of a layer."""
        return self

    def index(self, keys):
        """The keys (n, d) of a head as its index holds them."""
        return keys.astype(np.float16).astype(np.float64)

    def scored(self, keys, indexed):
        """The visible keys (n, d), of which the first is at a page's beginning, as they are scored."""
        if len(keys) < self.INDEX_FROM:
            return keys
        whole = len(keys) - len(keys) % PAGE
        return np.concatenate([indexed[:whole], keys[whole:]])

    def attend(self, q, keys, indexed, values, visible):
        """(group, d_v)"""
        keys, values = keys[visible], values[visible]
        if self.k2 >= len(keys):
            return dense(q, keys, values)
        by_spread = self.choice == "spread"
        w = weights(q, spread(indexed, visible) if by_spread else np.ones(q.shape[1]))
        shares = softmax(self.queries(q, w, self.k1) @ self.scored(keys, indexed[visible]).T)
        kept = self.choose(shares.sum(0), self.k2, self.local)
        return self.finish(q, keys, values, kept, shares)

    def queries(self, q, w, k1):
        """(group, d): scaled queries of the k1 components alone that count most in the group. Each head's softmax is the warmer
        the less of its weight these hold."""
        chosen = self.largest(w.sum(0), k1)
        held = w[:, chosen].sum(1, keepdims=True) / w.sum(1, keepdims=True)
        out = np.zeros_like(q)
        out[:, chosen] = q[:, chosen] / np.sqrt(q.shape[1] * held)
        return out

    def choose(self, rank, k2, local):
        """The best keys, and the most recent ones in any case."""
        others = len(rank) - local
        best = self.largest(rank[:others], k2 - local)
        return np.concatenate([best, np.arange(others, len(rank))])

    def finish(self, q, keys, values, kept, shares):
        """Attention to the kept keys; shares (group, n) say what they weigh among all."""
        out = dense(q, keys[kept], values[kept])
        if not self.mean:
            return out
        alpha = shares[:, kept].sum(1, keepdims=True)
        return alpha * out + (1 - alpha) * values.mean(0)

    def largest(self, x, n):
        """The places of the n largest numbers; of equal ones, the first."""
        order = np.argsort(-x, kind="stable")
        if 0 < n < len(x):
            self.least_gap = min(self.least_gap, 1 - x[order[n]] / x[order[n - 1]])
        return order[:n]


def int4(keys):
    """keys (n, d) by codes of four bits, page by page: of each component, the middle of the page's numbers and steps of a
    fifteenth of their range (as KIVI, arXiv 2402.02750, quantises keys). The last keys that fill no page stay as they are."""
    out, keys = keys.copy(), keys.astype(np.float32)
    for at in range(0, len(keys) - PAGE + 1, PAGE):
        page = keys[at:at + PAGE]
        least, most = page.min(0), page.max(0)
        step = (most - least) / np.float32(15)
        codes = np.rint((page - least) * np.where(step > 0, 1 / np.where(step > 0, step, 1), 0).astype(np.float32))
        out[at:at + PAGE] = (least.astype(np.float64) + most) / 2 + (codes - 7.5) * step.astype(np.float64)
    return out


def balanced(s_k, n_k, s_q, n_q):
    """The pair of (d, d), a component in each row, by which keys and queries both have the same diagonal covariance: of keys
    with second moments s_k around their mean and of queries with s_q around 0, over n_k and n_q of them. Each is a matrix like
    these moments that is surely positive definite: fewer correlations the fewer there are, and a little more variance."""
    a, b = root(regular(s_q, n_q)), root(regular(s_k, n_k))
    _, size, v = np.linalg.svd(a @ b)
    factor = np.sqrt(np.maximum(size, 1e-4 * size[0]))[:, None]
    return factor * (v @ np.linalg.inv(b)), (v @ b) / factor


def regular(s, n):
    diagonal = np.diag(np.diag(s))
    return n / (n + len(s)) * (s - diagonal) + diagonal + 1e-6 * s.diagonal().max() * np.eye(len(s))


def root(s):
    """The symmetric square root."""
    values, vectors = np.linalg.eigh(s)
    return (vectors * np.sqrt(values)) @ vectors.T


def numbers_for(ratio, n, d, key_bytes, basis):
    """k1, k2 and the most recent keys for a row that sees n keys, of which it is to read 1/ratio of the bytes: keys and values
    of d numbers, `key_bytes` for both together. A component of a key takes half a byte, and a sixty-fourth of its scale and
    centre."""
    component, fewest = 0.5 + 8 / PAGE, 128
    for_keys = 0.6 if basis else 0.5
    budget = key_bytes / ratio
    k2 = max(fewest, int(np.floor(n * for_keys / ratio + 0.5)))
    gathered = k2 * key_bytes / n
    k1 = min(max(int(np.floor((budget - gathered) / component + 0.5)), 1), d)
    if gathered > (for_keys + 0.125) * budget or ratio <= 1:
        k2 = n
    return k1, k2, k2 // 8


def most_ratio(n, basis):
    """The largest ratio for n keys: beyond it fewer than 128 would be kept, or too little is left for the scores."""
    return (1 - 1e-6) * (0.725 if basis else 0.625) / 128 * n


def ratio_of_loss(nats, n, basis=False, scale=1.0, share=1.0):
    """The ratio of a head with this share of the bytes, of a row that sees n keys, where a token may lose so many nats. Rows see
    few of their keys from a number of keys on that is the same for all losses; 1: the row reads all of them. The text's `scale`
    is TextLoss.scale()."""
    by_keys = 6.7 * (min(n, 32768) / 6144) ** (1 / 6)
    if by_keys >= most_ratio(n, basis):
        return 1.0
    return min(np.sqrt(nats / 0.01) * by_keys * scale / share, most_ratio(n, basis))


def shares(losses, weights):
    """Each head's part of the bytes over the mean of all, by `weights`, the bytes that it reads of all keys. A loss is what 32
    rows lost: the sum of |sparse - dense|^2 of the results of its query heads, over that of |x|^2 of the residual stream after the
    attention was added. Heads without a loss are dense, and count for nothing."""
    out, some = np.ones(len(losses)), np.asarray(losses) > 0
    w, s = np.asarray(weights, float)[some], np.asarray(losses, float)[some] ** 0.18
    for _ in range(16):
        s = np.clip(s * w.sum() / (w * s).sum(), 1 / 3, 4)
    out[some] = s
    return out


class TextLoss:
    """What a text loses a token, and the scale of its ratio. Rows are measured beside dense ones that see the same keys, at the
    scale that they were decoded with: 32 before its first sparse row, at a scale of 1, and then the first one of each page of 64
    positions. `sparse_layers`: the part of its layers with keys that read few of them."""

    def __init__(self, nats, sparse_layers):
        self.nats, self.more = nats, 1 + 1.9 * sparse_layers
        self.sum = self.weight = 0.0

    def add(self, measured, scale, weight):
        self.sum += weight * self.more * measured / scale ** 2
        self.weight += weight

    def trial(self, mean_of_32):
        self.add(mean_of_32, 1.0, 32 / 8)

    def check(self, measured, scale):
        self.sum, self.weight = 0.99 * self.sum, 0.99 * self.weight
        self.add(measured, scale, 1.0)

    def scale(self):
        known = (self.sum + 2 * self.nats) / (self.weight + 2)
        return float(np.clip(np.sqrt(0.9 * self.nats / known), 0.05, 4))


class Indexed(Sparq):
    """`ratio` chooses the numbers of each row, and the index has four bits. With `bases`, by layer a pair of (n_kv, d, d) for
    keys and for queries, all of this is about the components of these bases: `skald calibrate` makes them."""

    def __init__(self, ratio, bases=None, mean=True, number_bytes=2):
        super().__init__(0, 0, mean=mean)
        self.ratio, self.bases, self.number_bytes = ratio, bases, number_bytes
        self.turn = None

    def of_head(self, layer, kv):
        self.turn = None if self.bases is None else tuple(basis[kv] for basis in self.bases[layer])
        return self

    def index(self, keys):
        return int4(self.by_components(keys))

    def by_components(self, keys):
        return keys if self.turn is None else keys @ self.turn[0].T

    def attend(self, q, keys, indexed, values, visible):
        n, d = keys.shape
        k1, k2, local = numbers_for(self.ratio, n, d, 2 * d * self.number_bytes, self.turn is not None)
        if k2 >= n:
            return dense(q, keys, values)
        own_q = q if self.turn is None else q @ self.turn[1].T
        masked = self.queries(own_q, weights(own_q, spread(indexed, visible)), k1)
        shares = softmax(masked @ self.scored(self.by_components(keys), indexed).T)
        return self.finish(q, keys, values, self.choose(shares.sum(0), k2, local), shares)
