"""Options are the flags of the command line."""

import pytest

import skald
from skald.flags import words


def test_values_become_words():
    assert words({"n_ctx": 64, "cache_type_k": "q8_0"}, server=False) == ["--ctx-size", "64", "--cache-type-k", "q8_0"]
    assert words({"mmap": True, "repack": False}, server=False) == ["--mmap", "--no-repack"]
    assert words({"no_mmap": True, "threads": None}, server=False) == ["--no-mmap"]
    assert words({"override_kv": ["a=int:1", "b=int:2"]}, server=False) == [
        "--override-kv", "a=int:1", "--override-kv", "b=int:2"]  # fmt: skip


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"cachetype": "f32"}, "did you mean cache_type"),
        ({"xyzzy": 1}, "there is no option xyzzy"),
        ({"mmap": 3}, "True or False"),
        ({"threads": True}, "want a value"),
        ({"port": 80}, "there is no option port"),
    ],
)
def test_wrong_ones_are_named(options, why):
    with pytest.raises(TypeError, match=why):
        words(options, server=False)


def test_a_model_is_one_model():
    with pytest.raises(TypeError, match="skald.serve"):
        skald.Model(models_dir=".")


def test_all_are_described():
    text = skald.options(server=True)
    assert "ctx_size" in text and "port" in text and "cache_type_k" in text
    assert "port:" not in skald.options()


def test_options_reach_the_engine():
    with skald.Model(n_ctx=96, parallel=1) as model:
        assert model.n_ctx == 96
