#!/usr/bin/env python3
"""Makes the golden model of ChatGLM's first form, tests/data/golden/chatglm1: random weights, and the logits of a reference.

    python3 chatglm1_golden.py      (needs numpy and gguf)

The reference is written from the architecture (Du et al., arXiv 2103.10360; Zeng et al., arXiv 2210.02414), in double
precision, one sequence at a time, without a cache, and shares nothing with the engine. Its weights are named and packed as
in published checkpoints; only `tensors` knows how a GGUF has them.
"""
import json
import pathlib

import gguf
import numpy as np

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "data" / "golden"
SEED, N_PROMPT, N_LONG, N_GREEDY, N_LONG_KEEP = 1, 24, 200, 32, 8
HIDDEN, LAYERS, HEADS, FF, EPS, CONTEXT = 36, 3, 3, 64, 1e-5, 256


class Reference:
    """What the model computes; the flags take one of its parts away."""

    def __init__(self, weights, sop, two_way=True, prefix_positions=True, suffix_positions=True, alpha=(2 * LAYERS) ** 0.5):
        self.w = {name: a.astype(np.float64) for name, a in weights.items()}
        self.sop, self.two_way, self.alpha = sop, two_way, alpha
        self.prefix_positions, self.suffix_positions = prefix_positions, suffix_positions

    def positions(self, ids):
        """[2, n]: the place in the context (after it that of [gMASK], its last token), and the place after the context."""
        context, place = ids.index(self.sop), np.arange(len(ids))
        return (np.where(place < context, place, context - 1) * self.prefix_positions,
                np.where(place < context, 0, place - context + 1) * self.suffix_positions)

    def visible(self, ids):
        """[n, n]: whether a row's token sees a column's: all see the context, and what is before them."""
        return np.tri(len(ids), dtype=bool) | (np.arange(len(ids)) < ids.index(self.sop) * self.two_way)

    def linear(self, x, name):
        return x @ self.w[name + ".weight"].T + self.w[name + ".bias"]

    def norm(self, x, name):
        x = x - x.mean(-1, keepdims=True)
        return x / np.sqrt((x * x).mean(-1, keepdims=True) + EPS) * self.w[name + ".weight"] + self.w[name + ".bias"]

    def attention(self, h, positions, visible, name):
        d = HIDDEN // HEADS
        qkv = self.linear(h, name + ".query_key_value").reshape(len(h), HEADS, 3 * d).transpose(1, 0, 2)  # each head's own three
        q, k, v = qkv[..., :d], qkv[..., d:2 * d], qkv[..., 2 * d:]
        q, k = rotate_2d(q, positions), rotate_2d(k, positions)
        scores = np.where(visible, q @ k.transpose(0, 2, 1) / np.sqrt(d), -np.inf)
        p = np.exp(scores - scores.max(-1, keepdims=True))
        out = p / p.sum(-1, keepdims=True) @ v
        return self.linear(out.transpose(1, 0, 2).reshape(len(h), HIDDEN), name + ".dense")

    def logits(self, ids):
        positions, visible = self.positions(ids), self.visible(ids)
        x = self.w["word_embeddings.weight"][ids]
        for i in range(LAYERS):
            layer = f"layers.{i}"
            h = self.norm(x, layer + ".input_layernorm")
            x = self.alpha * h + self.attention(h, positions, visible, layer + ".attention")
            h = self.norm(x, layer + ".post_attention_layernorm")
            x = self.alpha * h + self.linear(gelu(self.linear(h, layer + ".mlp.dense_h_to_4h")), layer + ".mlp.dense_4h_to_h")
        return self.norm(x, "final_layernorm") @ self.w["lm_head.weight"].T


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3)))


def rotate(x, position):
    """Turns the pairs (i, i + d/2) of x [heads, n, d] by position [n]."""
    d = x.shape[-1]
    angle = position[:, None] / 10000.0 ** (np.arange(0, d, 2) / d)
    a, b = x[..., :d // 2], x[..., d // 2:]
    return np.concatenate([a * np.cos(angle) - b * np.sin(angle), b * np.cos(angle) + a * np.sin(angle)], -1)


def rotate_2d(x, positions):
    return np.concatenate([rotate(half, p) for half, p in zip(np.split(x, 2, -1), positions)], -1)


def random_weights(n_vocab):
    rng = np.random.default_rng(SEED)
    normal = lambda deviation, *shape: (deviation * rng.standard_normal(shape)).astype(np.float32)
    w = {"word_embeddings.weight": normal(0.3, n_vocab, HIDDEN), "lm_head.weight": normal(1.1 / HIDDEN ** 0.5, n_vocab, HIDDEN)}

    def linear(name, n, k, gain=1.1):
        w[name + ".weight"], w[name + ".bias"] = normal(gain / k ** 0.5, n, k), normal(0.15, n)

    def norm(name):
        w[name + ".weight"], w[name + ".bias"] = 1 + normal(0.2, HIDDEN), normal(0.15, HIDDEN)

    norm("final_layernorm")
    for i in range(LAYERS):
        norm(f"layers.{i}.input_layernorm")
        norm(f"layers.{i}.post_attention_layernorm")
        linear(f"layers.{i}.attention.query_key_value", 3 * HIDDEN, HIDDEN, gain=1.6)
        linear(f"layers.{i}.attention.dense", HIDDEN, HIDDEN)
        linear(f"layers.{i}.mlp.dense_h_to_4h", FF, HIDDEN)
        linear(f"layers.{i}.mlp.dense_4h_to_h", HIDDEN, FF)
    return w


def tensors(weights):
    """The weights as a GGUF has them: queries of all heads, then all keys, then all values."""
    top = {"word_embeddings": "token_embd", "final_layernorm": "output_norm", "lm_head": "output"}
    layer = {"input_layernorm": "attn_norm", "post_attention_layernorm": "ffn_norm", "attention.query_key_value": "attn_qkv",
             "attention.dense": "attn_output", "mlp.dense_h_to_4h": "ffn_up", "mlp.dense_4h_to_h": "ffn_down"}
    for name, a in weights.items():
        stem, leaf = name.rsplit(".", 1)
        if stem in top:
            yield f"{top[stem]}.{leaf}", a
            continue
        _, i, stem = stem.split(".", 2)
        if stem == "attention.query_key_value":
            a = a.reshape(HEADS, 3, HIDDEN // HEADS, -1).swapaxes(0, 1).reshape(a.shape)
        yield f"blk.{i}.{layer[stem]}.{leaf}", np.ascontiguousarray(a)


class Vocabulary:
    """The golden SentencePiece vocabulary, with ChatGLM's special tokens after it."""

    def __init__(self):
        fields = gguf.GGUFReader(GOLDEN / "tokenizers" / "spm" / "vocab.gguf").fields
        read = lambda key: fields["tokenizer.ggml." + key].contents()
        self.pieces, self.scores, self.kinds = read("tokens"), read("scores"), read("token_type")
        self.ordinary = [i for i, kind in enumerate(self.kinds) if kind == gguf.TokenType.NORMAL]
        self.gmask, self.sop, self.eop = (self.add(piece) for piece in ("[gMASK]", "<sop>", "<eop>"))

    def add(self, piece):
        self.pieces.append(piece)
        self.scores.append(0.0)
        self.kinds.append(int(gguf.TokenType.CONTROL))
        return len(self.pieces) - 1

    def write(self, w):
        w.add_tokenizer_model("llama")
        w.add_tokenizer_pre("default")
        w.add_token_list(self.pieces)
        w.add_token_scores(self.scores)
        w.add_token_types(self.kinds)
        w.add_bos_token_id(self.sop)
        w.add_eos_token_id(self.eop)
        w.add_unk_token_id(0)
        w.add_add_bos_token(False)
        w.add_add_eos_token(False)
        w.add_add_space_prefix(True)


def write_gguf(path, vocabulary, weights):
    arch = "chatglm1"
    w = gguf.GGUFWriter(str(path), arch)
    w.add_name("golden chatglm1")
    w.add_file_type(gguf.LlamaFileType.ALL_F32)
    w.add_context_length(CONTEXT)
    w.add_embedding_length(HIDDEN)
    w.add_block_count(LAYERS)
    w.add_feed_forward_length(FF)
    w.add_head_count(HEADS)
    w.add_layer_norm_eps(EPS)
    w.add_rope_dimension_count(HIDDEN // HEADS // 2)
    w.add_uint32(f"{arch}.attention.prefix_end_token_id", vocabulary.sop)
    vocabulary.write(w)
    for name, a in tensors(weights):
        w.add_tensor(name, a)
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


def prompt(vocabulary, rng, n, context):
    """`context` tokens of text and [gMASK], then <sop> and what follows it."""
    text = [int(x) for x in rng.choice(vocabulary.ordinary, n - 2)]
    return text[:context - 1] + [vocabulary.gmask, vocabulary.sop] + text[context - 1:]


def greedy(reference, ids, n):
    ids, margins = list(ids), []
    for _ in range(n):
        last = reference.logits(ids)[-1]
        second, first = np.sort(last)[-2:]
        margins.append(round(float(first - second), 5))
        ids.append(int(last.argmax()))
    return ids[-n:], margins


def without(weights, part):
    return {name: np.zeros_like(a) if part in name and name.endswith("bias") else a for name, a in weights.items()}


def main():
    vocabulary = Vocabulary()
    weights, rng = random_weights(len(vocabulary.pieces)), np.random.default_rng(SEED + 1)
    reference = Reference(weights, vocabulary.sop)
    prompt_ids, long_ids = prompt(vocabulary, rng, N_PROMPT, 15), prompt(vocabulary, rng, N_LONG, 150)
    logits, long_logits = reference.logits(prompt_ids), reference.logits(long_ids)[-N_LONG_KEEP:]
    greedy_ids, margins = greedy(reference, prompt_ids, N_GREEDY)
    omitted = {"two-way context": Reference(weights, vocabulary.sop, two_way=False),
               "positions in the context": Reference(weights, vocabulary.sop, prefix_positions=False),
               "positions after the context": Reference(weights, vocabulary.sop, suffix_positions=False),
               "alpha": Reference(weights, vocabulary.sop, alpha=1),
               **{f"biases of {part}": Reference(without(weights, part), vocabulary.sop)
                  for part in ("input_layernorm", "post_attention_layernorm", "final_layernorm", "query_key_value", "dense")}}
    changes = {part: round(float(np.abs(other.logits(prompt_ids) - logits).max()), 3) for part, other in omitted.items()}
    assert min(changes.values()) > 0.1 and min(margins) > 2e-3, (changes, margins)

    out = GOLDEN / "chatglm1"
    out.mkdir(exist_ok=True)
    write_gguf(out / "model.gguf", vocabulary, weights)
    np.save(out / "logits.npy", logits.astype(np.float32))
    np.save(out / "long_logits.npy", long_logits.astype(np.float32))
    expected = {"name": "chatglm1", "arch": "chatglm1", "tokenizer": "spm", "vocab_size": len(vocabulary.pieces), "storage": "F32",
                "prompt_ids": prompt_ids, "greedy_ids": greedy_ids, "greedy_margins": margins, "long_ids": long_ids,
                "long_positions": list(range(N_LONG - N_LONG_KEEP, N_LONG)),
                "reference": "tests/models/chatglm1_golden.py, float64", "logit_std": round(float(logits.std()), 3),
                "notes": "The tokens before <sop>, the last of which is [gMASK], see each other in both directions.",
                "changes_if_omitted": changes, "seed": SEED}
    lines = ",\n".join(f" {json.dumps(key)}: {json.dumps(value)}" for key, value in expected.items())
    (out / "expected.json").write_text("{\n" + lines + "\n}\n")


if __name__ == "__main__":
    main()
