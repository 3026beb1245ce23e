"""Low-rank changes (LoRA, https://arxiv.org/abs/2106.09685) of a frozen model: y = W x + alpha / rank * B A x."""

import torch
import torch.nn.functional as F
from torch import nn


class LowRank(nn.Module):
    """A frozen linear layer and its change: A (rank, in) begins random, B (out, rank) zero."""

    def __init__(self, base, rank, alpha):
        super().__init__()
        rows, columns = base.weight.shape
        self.base, self.factor = base, alpha / rank
        self.a = nn.Parameter(torch.empty(rank, columns))
        self.b = nn.Parameter(torch.zeros(rows, rank))
        nn.init.kaiming_uniform_(self.a, a=5 ** 0.5)

    def forward(self, x):
        return self.base(x) + self.factor * F.linear(F.linear(x, self.a), self.b)


def adapt(model, rank, alpha):
    """Freezes a model and gives each linear layer of its blocks a change. Returns the changes by the layer's name."""
    model.requires_grad_(False)
    changes = {}
    for name, layer in list(model.named_modules()):
        if isinstance(layer, nn.Linear):
            parent, _, own = name.rpartition(".")
            changes[name] = LowRank(layer, rank, alpha)
            setattr(model.get_submodule(parent), own, changes[name])
    return changes


@torch.no_grad()
def round_to_f16(changes):
    """Rounds the changes to the values that a file of f16 keeps."""
    for change in changes.values():
        for matrix in (change.a, change.b):
            matrix.copy_(matrix.half().float())
