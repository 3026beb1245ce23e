"""Operations on arrays, against NumPy."""

import numpy as np
import pytest

import skald
from skald import ops


def made(heads=8, kv_heads=2, n=300, d=64, d_v=None, seed=1):
    draw = np.random.default_rng(seed).standard_normal
    shapes = (heads, d), (kv_heads, n, d), (kv_heads, n, d_v or d)
    return [draw(shape).astype(np.float32) for shape in shapes]


def expected(q, k, v, scale=None):
    group = len(q) // len(k)
    out = np.empty((len(q), v.shape[2]))
    for h in range(len(q)):
        scores = k[h // group].astype(np.float64) @ q[h] * (scale or q.shape[1] ** -0.5)
        weights = np.exp(scores - scores.max())
        out[h] = weights / weights.sum() @ v[h // group].astype(np.float64)
    return out


@pytest.mark.parametrize("shape", [
    {}, {"n": 1}, {"n": 64}, {"n": 65}, {"heads": 4, "kv_heads": 4}, {"heads": 6, "kv_heads": 1}, {"d": 128, "d_v": 96},
    {"d": 80}, {"n": 5000}, {"d": 20}, {"d": 7, "d_v": 5},
])  # fmt: skip
@pytest.mark.parametrize("threads", [1, 3])
def test_dense_attention_is_numpys(shape, threads):
    q, k, v = made(**shape)
    assert np.abs(ops.attention(q, k, v, threads=threads) - expected(q, k, v)).max() < 1e-4


def test_halves_and_strides_are_read_where_they_lie():
    q, k, v = made(n=200)
    halves = [np.ascontiguousarray(x.astype(np.float16).transpose(1, 0, 2)).transpose(1, 0, 2) for x in (k, v)]
    assert np.abs(ops.attention(q, *halves) - expected(q, *halves)).max() < 1e-3
    every_other = k[:, ::2], v[:, ::2]
    assert np.abs(ops.attention(q, *every_other) - expected(q, *every_other)).max() < 1e-4
    assert np.abs(ops.attention(q, k, v, scale=0.25) - expected(q, k, v, scale=0.25)).max() < 1e-4


def test_any_library_with_dlpack_will_do():
    class Foreign:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    q, k, v = made()
    assert np.array_equal(ops.attention(q, Foreign(k), Foreign(v)), ops.attention(q, k, v))


@pytest.mark.parametrize("choice", ["spread", "magnitude"])
def test_sparq_over_all_keys_is_dense(choice):
    q, k, v = made(n=2000)
    everything = ops.attend(q, k, v, sparq={"k1": 16, "k2": 2000, "choice": choice})
    assert np.abs(everything.out - expected(q, k, v)).max() < 1e-4
    assert everything.bytes_read == everything.bytes_dense == k.nbytes + v.nbytes


def test_sparq_reads_less_and_keeps_what_counts():
    q, k, v = made(heads=2, kv_heads=2, n=4096)
    for head, key in enumerate((100, 3000)):  # one key that each head looks for
        k[head, key] = 4 * q[head]
    few = ops.attend(q, k, v, sparq=ops.SparQ(k1=32, k2=256))
    assert few.bytes_read < few.bytes_dense / 3
    assert np.abs(few.out - v[[0, 1], [100, 3000]]).max() < 0.05


@pytest.mark.parametrize(("call", "why"), [
    (lambda q, k, v: ops.attention(q[:, :10], k, v), "as long as keys"),
    (lambda q, k, v: ops.attention(q[:3], k, v), "evenly"),
    (lambda q, k, v: ops.attention(q, k, v[:, :5]), "do not go with"),
    (lambda q, k, v: ops.attention(q, k[0], v[0]), "want an array"),
    (lambda q, k, v: ops.attention(q, k.astype(np.float64), v), "float32, float16"),
    (lambda q, k, v: ops.attention(q, k[..., ::-1], v), "side by side"),
    (lambda q, k, v: ops.attention(q, k[:, ::-1], v), "apart"),
    (lambda q, k, v: ops.attention(q, k[:, :0], v[:, :0]), "at least one"),
    (lambda q, k, v: ops.attention(q, k, v, sparq={"k1": -1, "k2": 3}), "k1"),
    (lambda q, k, v: ops.attention(q, k, v, sparq={"k1": 8, "k2": 8, "choice": "best"}), "choice"),
    (lambda q, k, v: ops.attention(q, k, v, threads=-1), "n_threads"),
])  # fmt: skip
def test_wrong_arrays_are_named(call, why):
    with pytest.raises(skald.Error, match=why):
        call(*made())


@pytest.mark.parametrize("format", [f.name for f in ops.formats() if f.can_encode])
def test_quantised_numbers_come_back_about_as_they_were(format):
    one = next(f for f in ops.formats() if f.name == format)
    x = np.random.default_rng(2).standard_normal((4, 256)).astype(np.float32)
    blocks = ops.quantize(x, format)
    assert len(blocks) == x.size // one.block * one.block_bytes
    back = ops.dequantize(blocks, format, x.shape)
    assert back.dtype == np.float32 and back.shape == x.shape
    assert np.sqrt(((x - back) ** 2).mean()) < (1e-2 if one.block_bytes * 8 >= 8 * one.block else 0.75)
    assert np.array_equal(ops.dequantize(memoryview(blocks), format, x.size), back.ravel())


@pytest.mark.parametrize(("call", "why"), [
    (lambda x: ops.quantize(x, "q9_9"), "q9_9"),
    (lambda x: ops.quantize(x[:, :30], "q8_0"), "whole blocks"),
    (lambda x: ops.quantize(np.full((1, 32), np.nan), "q8_0"), "cannot hold"),
    (lambda x: ops.dequantize(b"123", "q8_0", 32), "3 bytes"),
    (lambda x: ops.dequantize(b"", "q8_0", (-1, 32)), "bytes are not"),
])  # fmt: skip
def test_wrong_formats_are_named(call, why):
    with pytest.raises(skald.Error, match=why):
        call(np.zeros((2, 64), np.float32))
