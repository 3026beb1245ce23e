"""A small Llama: RMSNorm, rotary positions, SwiGLU, grouped-query attention, tied embeddings.

Rotary pairs are (i, i + d_head/2), as in the Hugging Face models; export.py permutes
the query and key rows into the interleaved order that GGUF files of this
architecture use.
"""

from dataclasses import asdict, dataclass

import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class Config:
    vocab: int = 2048
    d_model: int = 256
    layers: int = 6
    heads: int = 4
    kv_heads: int = 2
    d_head: int = 64
    d_ff: int = 704
    n_ctx: int = 1024
    rope_base: float = 10000.0
    norm_eps: float = 1e-5

    def as_dict(self):
        return asdict(self)


def rope_table(cfg, length, device=None):
    """cos and sin of shape (length, d_head/2)."""
    inverse = cfg.rope_base ** (-torch.arange(0, cfg.d_head, 2, dtype=torch.float64, device=device) / cfg.d_head)
    angles = torch.outer(torch.arange(length, dtype=torch.float64, device=device), inverse)
    return angles.cos().float(), angles.sin().float()


def rotate(x, cos, sin):
    """Apply rotary positions to x of shape (batch, heads, length, d_head)."""
    a, b = x.chunk(2, dim=-1)
    cos, sin = cos.to(x.dtype), sin.to(x.dtype)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)


class RMSNorm(nn.Module):
    def __init__(self, size, eps):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.eps = eps

    def forward(self, x):
        wide = x.float()
        scale = torch.rsqrt(wide.square().mean(-1, keepdim=True) + self.eps)
        return (wide * scale * self.weight).to(x.dtype)


class Attention(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.q = nn.Linear(cfg.d_model, cfg.heads * cfg.d_head, bias=False)
        self.k = nn.Linear(cfg.d_model, cfg.kv_heads * cfg.d_head, bias=False)
        self.v = nn.Linear(cfg.d_model, cfg.kv_heads * cfg.d_head, bias=False)
        self.o = nn.Linear(cfg.heads * cfg.d_head, cfg.d_model, bias=False)

    def forward(self, x, cos, sin):
        batch, length, _ = x.shape
        split = lambda t, n: t.view(batch, length, n, self.cfg.d_head).transpose(1, 2)
        q = rotate(split(self.q(x), self.cfg.heads), cos, sin)
        k = rotate(split(self.k(x), self.cfg.kv_heads), cos, sin)
        v = split(self.v(x), self.cfg.kv_heads)
        group = self.cfg.heads // self.cfg.kv_heads
        k, v = k.repeat_interleave(group, dim=1), v.repeat_interleave(group, dim=1)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.o(y.transpose(1, 2).reshape(batch, length, -1))


class FeedForward(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.gate = nn.Linear(cfg.d_model, cfg.d_ff, bias=False)
        self.up = nn.Linear(cfg.d_model, cfg.d_ff, bias=False)
        self.down = nn.Linear(cfg.d_ff, cfg.d_model, bias=False)

    def forward(self, x):
        return self.down(F.silu(self.gate(x)) * self.up(x))


class Block(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.attn_norm = RMSNorm(cfg.d_model, cfg.norm_eps)
        self.attn = Attention(cfg)
        self.ffn_norm = RMSNorm(cfg.d_model, cfg.norm_eps)
        self.ffn = FeedForward(cfg)

    def forward(self, x, cos, sin):
        x = x + self.attn(self.attn_norm(x), cos, sin)
        return x + self.ffn(self.ffn_norm(x))


class Llama(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.embed = nn.Embedding(cfg.vocab, cfg.d_model)
        self.blocks = nn.ModuleList(Block(cfg) for _ in range(cfg.layers))
        self.norm = RMSNorm(cfg.d_model, cfg.norm_eps)
        cos, sin = rope_table(cfg, cfg.n_ctx)
        self.register_buffer("cos", cos, persistent=False)
        self.register_buffer("sin", sin, persistent=False)
        self.reset()

    def reset(self):
        """Normal initialisation; projections into the residual stream start smaller."""
        for name, weight in self.named_parameters():
            if weight.dim() == 2:
                residual = name.endswith(("attn.o.weight", "ffn.down.weight"))
                nn.init.normal_(weight, std=0.02 / (2 * self.cfg.layers) ** 0.5 if residual else 0.02)

    def forward(self, ids):
        """Logits of shape (batch, length, vocab)."""
        length = ids.shape[1]
        cos, sin = self.cos[:length], self.sin[:length]
        x = self.embed(ids)
        for block in self.blocks:
            x = block(x, cos, sin)
        return F.linear(self.norm(x), self.embed.weight)


@torch.no_grad()
def generate(model, ids, count, temperature=0.0, stop=None, generator=None):
    """Extend the list `ids` by up to `count` tokens; greedy when temperature is 0."""
    ids = list(ids)
    for _ in range(count):
        logits = model(torch.tensor([ids[-model.cfg.n_ctx:]]))[0, -1].float()
        if temperature == 0:
            token = int(logits.argmax())
        else:
            token = int(torch.multinomial((logits / temperature).softmax(-1), 1, generator=generator))
        ids.append(token)
        if token == stop:
            break
    return ids
