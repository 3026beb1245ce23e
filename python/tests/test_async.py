"""Many requests on one event loop."""

import asyncio

import pytest

import skald

PROMPT = "Once upon a time"


def test_requests_run_side_by_side(model):
    alone = "".join(piece.text for piece in model.generate(PROMPT, max_tokens=16, temperature=0))

    async def write():
        return "".join([piece.text async for piece in model.generate_async(PROMPT, max_tokens=16, temperature=0)])

    async def all_of_them():
        return await asyncio.gather(*[write() for _ in range(8)])

    assert asyncio.run(all_of_them()) == [alone] * 8


def test_whole_answers_come_too(model):
    async def ask():
        chat = await model.chat_async([{"role": "user", "content": "Hi"}], max_tokens=4, temperature=0)
        text = await model.complete_async(PROMPT, max_tokens=4, temperature=0)
        chunks = [c async for c in model.chat_stream_async([{"role": "user", "content": "Hi"}], max_tokens=4, temperature=0)]
        return chat, text, chunks

    chat, text, chunks = asyncio.run(ask())
    content = chat["choices"][0]["message"]["content"]
    assert text["object"] == "text_completion"
    assert "".join(chunk["choices"][0]["delta"].get("content") or "" for chunk in chunks) == content


def test_a_cancelled_task_cancels_its_request(model):
    async def run():
        task = asyncio.create_task(model.complete_async(PROMPT, max_tokens=100000, ignore_eos=True))
        await asyncio.sleep(0.001)  # the request is on its way
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return await model.complete_async(PROMPT, max_tokens=2)

    assert asyncio.run(run())["usage"]["completion_tokens"] == 2


def test_errors_come_as_elsewhere(model):
    async def ask():
        return [piece async for piece in model.generate_async("x", temperature=-1)]

    with pytest.raises(skald.Error) as error:
        asyncio.run(ask())
    assert error.value.code == "bad_input"
