"""Texts, chats and numbers of a model in this process."""

import itertools
import json
import signal
import threading
import time

import numpy as np
import pytest

import skald

PROMPT = "Once upon a time"
SCHEMA = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": False}


def text_of(pieces):
    return "".join(piece.text for piece in pieces)


def test_the_same_greedy_text_comes_from_every_way_to_ask(model):
    pieces = list(model.generate(PROMPT, max_tokens=24, temperature=0))
    assert len(pieces) == 24 and model.detokenize([piece.id for piece in pieces]) == text_of(pieces)
    assert text_of(model.generate(model.tokenize(PROMPT), max_tokens=24, temperature=0)) == text_of(pieces)
    whole = model.complete(PROMPT, max_tokens=24, temperature=0)
    assert whole["choices"][0]["text"] == text_of(pieces) and whole["usage"]["completion_tokens"] == 24


def test_prompts_of_a_list_are_answered_in_order(model):
    prompts = [PROMPT, "The cat", "A small boat"]
    choices = model.complete(prompts, max_tokens=8, temperature=0)["choices"]
    alone = [model.complete(prompt, max_tokens=8, temperature=0)["choices"][0]["text"] for prompt in prompts]
    assert [choice["text"] for choice in choices] == alone


def test_greedy_tokens_are_those_of_the_logits(model):
    ids = model.tokenize(PROMPT)
    logits = model.logits(ids, exact=False)
    assert logits.dtype == np.float32 and logits.shape == (len(ids), model.n_vocab)
    first = next(model.generate(PROMPT, max_tokens=1, temperature=0, logprobs=True))
    assert first.id == logits[-1].argmax()
    shifted = logits[-1] - logits[-1].max()
    assert first.log_prob == pytest.approx(float(shifted[first.id] - np.log(np.exp(shifted).sum())), abs=2e-2)


def test_a_seed_gives_the_text_again(model):
    drawn = [text_of(model.generate(PROMPT, max_tokens=16, temperature=1.5, seed=seed)) for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]


def test_a_generator_that_is_dropped_ends_its_request(model):
    for piece in model.generate(PROMPT, max_tokens=100000, temperature=0, ignore_eos=True):
        assert piece.id >= 0
        break
    began = time.monotonic()
    assert text_of(model.generate(PROMPT, max_tokens=4, temperature=0))
    assert time.monotonic() - began < 30


def test_ctrl_c_ends_a_text(model):
    main = threading.main_thread().ident
    timer = threading.Timer(0.3, lambda: signal.pthread_kill(main, signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        for _ in itertools.count():
            list(model.generate(PROMPT, max_tokens=2000, temperature=0, ignore_eos=True))
    timer.join()


def test_other_threads_run_meanwhile(model):
    counts, over = [0], threading.Event()

    def count():
        while not over.wait(0.001):
            counts[0] += 1

    thread = threading.Thread(target=count)
    thread.start()
    began = time.monotonic()
    list(model.generate(PROMPT, max_tokens=100, temperature=0, ignore_eos=True))
    seconds = time.monotonic() - began
    over.set()
    thread.join()
    assert counts[0] > 50 * seconds


def test_threads_share_a_model(model):
    alone = text_of(model.generate(PROMPT, max_tokens=16, temperature=0))
    texts = {}

    def write(i):
        texts[i] = text_of(model.generate(PROMPT, max_tokens=16, temperature=0))

    threads = [threading.Thread(target=write, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert list(texts.values()) == [alone] * 4


def test_a_schema_makes_the_content_json(model):
    form = {"type": "json_schema", "json_schema": {"name": "x", "schema": SCHEMA}}
    messages = [{"role": "user", "content": "Hello"}]
    answer = model.chat(messages, response_format=form, max_tokens=60, temperature=0)
    assert isinstance(json.loads(answer["choices"][0]["message"]["content"])["n"], int)


def test_a_tool_is_called_with_arguments_of_its_schema(model):
    tool = {"type": "function", "function": {"name": "count", "parameters": SCHEMA}}
    messages = [{"role": "user", "content": "Count."}]
    answer = model.chat(messages, tools=[tool], tool_choice="required", max_tokens=80, temperature=0)
    call = answer["choices"][0]["message"]["tool_calls"][0]["function"]
    assert call["name"] == "count" and isinstance(json.loads(call["arguments"])["n"], int)


def test_chunks_of_a_chat_are_its_content(model):
    messages = [{"role": "user", "content": "Tell me a story."}]
    whole = model.chat(messages, max_tokens=12, temperature=0)["choices"][0]["message"]["content"]
    chunks = list(model.chat(messages, max_tokens=12, temperature=0, stream=True))
    assert "".join(chunk["choices"][0]["delta"].get("content") or "" for chunk in chunks) == whole
    assert chunks[-1]["choices"][0]["finish_reason"] == "length"


def test_texts_become_tokens_and_back(model):
    ids = model.tokenize("The cat sat.")
    assert model.detokenize(ids).strip() == "The cat sat."
    assert model.tokenize("The cat sat.", add_special=False) == ids[1:]
    assert model.detokenize(ids[:1]) == "" and model.detokenize(ids[:1], special=True)


def test_vectors_have_length_one(model):
    vectors = model.embed(["a cat", "a dog", "a cat"])
    assert vectors.shape[0] == 3 and np.allclose((vectors**2).sum(1), 1, atol=1e-3)
    assert np.array_equal(vectors[0], vectors[2]) and not np.array_equal(vectors[0], vectors[1])


@pytest.mark.parametrize(
    ("ask", "code"),
    [
        (lambda m: skald.Model("/no/such.gguf"), "not_found"),
        (lambda m: skald.Model(__file__), "bad_file"),
        (lambda m: next(m.generate("x", temperature=-3)), "bad_input"),
        (lambda m: m.logits([10**9]), "bad_input"),
        (lambda m: m.logits([]), "bad_input"),
        (lambda m: m.detokenize([10**9]), "bad_input"),
        (lambda m: m.chat([{"content": "no role"}]), "bad_input"),
        (lambda m: list(m.generate("word " * 5000)), "bad_input"),
        (lambda m: skald.Model(cache_type_k="q5_9"), "bad_input"),
    ],
)
def test_errors_have_a_code_and_say_why(model, ask, code):
    with pytest.raises(skald.Error) as error:
        ask(model)
    assert error.value.code == code and len(str(error.value)) > 10


def test_unknown_arguments_are_named(model):
    with pytest.raises(TypeError, match="max_tokns"):
        next(model.generate("x", max_tokns=3))
    with pytest.raises(TypeError, match="temprature"):
        model.complete("x", temprature=1, max_tokens=2)


def test_a_closed_model_says_so():
    model = skald.Model()
    model.close()
    model.close()
    with pytest.raises(skald.Error, match="closed"):
        model.tokenize("x")
