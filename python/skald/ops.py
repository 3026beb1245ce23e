"""Operations on arrays, without a model: attention, dense or sparse, and formats of weights.

Try sparse attention in three lines::

    q, k, v = (numpy.random.randn(*s).astype("f4") for s in ((8, 64), (2, 4096, 64), (2, 4096, 64)))
    dense = skald.ops.attention(q, k, v)
    sparse = skald.ops.attention(q, k, v, sparq=skald.ops.SparQ(k1=16, k2=256))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core


@dataclass(frozen=True)
class SparQ:
    """Chooses the keys that a query attends to (SparQ attention, arXiv 2312.04985).

    All keys are scored with ``k1`` components of the query, and the best ``k2`` are attended to exactly. ``ratio``, instead
    of both: how many times less to read than dense attention does. ``local``: most recent keys that are always among them;
    -1: a quarter of ``k2``, with a ratio an eighth. ``choice`` of components: ``spread``, by \\|q\\| times how much the keys
    vary there, or ``magnitude``, by \\|q\\|.
    """

    k1: int = 0
    k2: int = 0
    ratio: float = 0.0
    local: int = -1
    choice: str = "spread"


@dataclass(frozen=True)
class Attended:
    """Holds the result of attention, and the bytes of keys and values that were read, and that dense attention reads."""

    out: npt.NDArray[np.float32]
    bytes_read: int
    bytes_dense: int


def attend(
    q: npt.ArrayLike,
    k: Any,
    v: Any,
    *,
    sparq: SparQ | Mapping[str, Any] | None = None,
    scale: float | None = None,
    threads: int = 1,
) -> Attended:
    """Does as :func:`attention`, and counts bytes."""
    chosen = sparq if isinstance(sparq, SparQ) else SparQ(**(sparq or {}))
    queries = np.ascontiguousarray(q, dtype=np.float32)
    return Attended(*_core.attention(queries, k, v, float(scale or 0), threads, **asdict(chosen)))


def attention(
    q: npt.ArrayLike,
    k: Any,
    v: Any,
    *,
    sparq: SparQ | Mapping[str, Any] | None = None,
    scale: float | None = None,
    threads: int = 1,
) -> npt.NDArray[np.float32]:
    """Returns softmax(scale * q kᵀ) v for one query of each head: float32, (heads, d of a value).

    ``q`` is (heads, d). ``k`` (KV heads, n, d) and ``v`` (KV heads, n, d of a value) are arrays of NumPy, or of any library
    with DLPack, of float32, float16 or bfloat16. They are read where they lie, without a copy; numbers of a row must lie
    side by side. Query heads share KV heads in order. ``scale``: 1 / sqrt(d) unless given. ``threads`` 0: one per CPU.

    Raises :class:`skald.Error` naming the argument that does not fit.
    """
    return attend(q, k, v, sparq=sparq, scale=scale, threads=threads).out


@dataclass(frozen=True)
class Format:
    """Describes a format: blocks of ``block`` numbers take ``block_bytes`` bytes. Some formats are only read."""

    name: str
    block: int
    block_bytes: int
    can_encode: bool


def formats() -> list[Format]:
    """Returns the formats of numbers that :func:`dequantize` reads."""
    return [Format(**one) for one in _core.formats()]


def quantize(x: npt.ArrayLike, format: str) -> bytes:
    """Returns the numbers of an array, row by row, as blocks of a format of GGUF files: ``q8_0``, ``q4_k``.

    Raises :class:`skald.Error` for an unknown format, and where the last dimension is no multiple of its block.
    """
    return _core.quantize(np.ascontiguousarray(x, dtype=np.float32), format)


def dequantize(blocks: bytes | bytearray | memoryview, format: str, shape: int | Sequence[int]) -> npt.NDArray[np.float32]:
    """Returns the numbers of blocks as an array of this shape: float32.

    Raises :class:`skald.Error` for an unknown format, and where the number of bytes is not that of the shape.
    """
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    return _core.dequantize(bytes(blocks), format, int(np.prod(shape))).reshape(shape)
