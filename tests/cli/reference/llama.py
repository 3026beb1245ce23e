"""A Llama in double precision, all of a text at once: the logits of a prompt and of tokens that are decoded sparsely after it."""
import numpy as np

from gguf_header import Header
from reference.sparq import softmax

F32 = 0  # GGUF's number of the type


def tensors_of(path):
    """The weights of a file that has all in F32, by name."""
    data = path.read_bytes()
    header, out = Header(data), {}
    for name in header.entries:
        dims, kind, at = header.tensor(name)
        assert kind == F32, name
        flat = np.frombuffer(data, "<f4", int(np.prod(dims)), at)
        out[name.decode()] = flat.reshape(dims[::-1]).astype(np.float64)
    return out


def see(q, keys, values, visible):
    """Attention of the rows of one head."""
    return softmax(np.where(visible, q @ keys.T / np.sqrt(q.shape[1]), -np.inf)) @ values


class Llama:
    """`metadata` is that of `skald inspect --json`; `window` is the number of keys that a token sees, 0: all. Keys and
    values are cached in `stored`, and keys are indexed as the rule of sparse decoding says."""

    def __init__(self, path, metadata, window=0, stored=np.float32):
        meta = {key.removeprefix("llama."): value for key, value in metadata.items()}
        self.w, self.window, self.stored = tensors_of(path), window, stored
        self.heads = {}  # by layer ("blk.0."), those of the last text: queries and keys (heads, n, d)
        self.n_layers, self.eps = meta["block_count"], meta["attention.layer_norm_rms_epsilon"]
        self.n_heads, self.n_kv = meta["attention.head_count"], meta["attention.head_count_kv"]
        d = meta["attention.key_length"]
        assert d == meta["rope.dimension_count"] == meta["attention.value_length"]
        self.turns = meta["rope.freq_base"] ** (-np.arange(0, d, 2) / d) / self.w.get("rope_freqs.weight", 1.0)

    def logits(self, ids, decode_from, sparse):
        """(len(ids), n_vocab). Tokens before `decode_from` are the prompt; `sparse` attends for the others."""
        x = self.w["token_embd.weight"][ids]
        for i in range(self.n_layers):
            layer = f"blk.{i}."
            x = x + self.attention(self.norm(x, layer + "attn_norm"), layer, decode_from, sparse)
            h = self.norm(x, layer + "ffn_norm")
            gate = self.linear(h, layer + "ffn_gate")
            x = x + self.linear(gate / (1 + np.exp(-gate)) * self.linear(h, layer + "ffn_up"), layer + "ffn_down")
        return self.linear(self.norm(x, "output_norm"), "output" if "output.weight" in self.w else "token_embd")

    def attention(self, h, layer, decode_from, sparse):
        n, group = len(h), self.n_heads // self.n_kv
        heads = lambda name: self.linear(h, layer + name).reshape(n, -1, 2 * len(self.turns)).transpose(1, 0, 2)
        q, k, v = self.rotate(heads("attn_q")), self.rotate(heads("attn_k")), heads("attn_v")
        self.heads[layer] = q, k
        keys, v = (x.astype(self.stored).astype(np.float64) for x in (k, v))
        visible, prompt = self.visible(n), slice(0, decode_from)
        out = np.empty_like(q)
        for head in range(self.n_heads):
            out[head, prompt] = see(q[head, prompt], keys[head // group, prompt], v[head // group, prompt], visible[prompt, prompt])
        for kv in range(self.n_kv):
            own, rule = slice(kv * group, (kv + 1) * group), sparse and sparse.of_head(layer, kv)
            indexed = rule and rule.index(keys[kv])
            for t in range(decode_from, n):
                past = slice(0, t + 1)
                out[own, t] = rule.attend(q[own, t], keys[kv, past], indexed[past], v[kv, past], visible[t, past])
        return self.linear(out.transpose(1, 0, 2).reshape(n, -1), layer + "attn_output")

    def visible(self, n):
        """(n, n): whether a row's token sees a column's."""
        behind = np.arange(n)[:, None] - np.arange(n)
        return (behind >= 0) & (behind < (self.window or n))

    def linear(self, x, name):
        return x @ self.w[name + ".weight"].T

    def norm(self, x, name):
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + self.eps) * self.w[name + ".weight"]

    def rotate(self, x):
        """Turns the pairs (2i, 2i + 1) of x (heads, n, d) by their positions."""
        angle = np.arange(x.shape[1])[:, None] * self.turns
        a, b, out = x[..., 0::2], x[..., 1::2], np.empty_like(x)
        out[..., 0::2] = a * np.cos(angle) - b * np.sin(angle)
        out[..., 1::2] = a * np.sin(angle) + b * np.cos(angle)
        return out
