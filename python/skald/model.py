"""A model in this process."""

from __future__ import annotations

import base64
import os
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from . import _core, calls, flags

Prompt = str | Sequence[int]
Message = Mapping[str, Any]


@dataclass(frozen=True)
class Piece:
    """A token of a generated text.

    ``text`` has whole characters, and is empty where the token ends within one. ``log_prob`` is the natural logarithm of
    the token's probability, where it was asked for.
    """

    text: str
    id: int
    log_prob: float | None = None


def _listed(prompt: Prompt | Sequence[str]) -> Any:
    return prompt if isinstance(prompt, str) else list(prompt)


def _completion(prompt: Prompt, max_tokens: int | None, logprobs: bool, fields: Mapping[str, Any]) -> dict[str, Any]:
    out = {"prompt": _listed(prompt), "n_predict": max_tokens, "stream": True, "return_tokens": True, **fields}
    if logprobs:
        out["n_probs"] = 1
    return out


def _pieces(event: Mapping[str, Any]) -> Iterator[Piece]:
    if event.get("stop") or "prompt_progress" in event:
        return
    chances = event.get("completion_probabilities")
    for token in event["tokens"]:
        yield Piece(event["content"], token, chances[0]["logprob"] if chances else None)


class Model:
    """Loads a model and answers requests, many at once.

    ``model`` is a GGUF file, a Hugging Face folder or the name of a model that ``skald pull`` got; ``None``: the small
    story model that is part of the package. ``options`` are the flags of ``skald batch`` with underscores:
    ``n_ctx=8192, cache_type="q8_0", sparq_ratio=8, threads=4``; ``print(skald.options())`` lists them.

    All methods may be called from several threads. They release the interpreter's lock while they compute. Raises
    :class:`skald.Error` for a model that cannot be loaded, and ``TypeError`` for an option that is not known.
    """

    def __init__(self, model: str | os.PathLike[str] | None = None, **options: Any):
        for name in ("models_dir", "models_max"):
            if options.get(name) is not None:
                raise TypeError(f"{name} is an option of skald.serve(): a Model is one model")
        if model is not None:
            options["model"] = os.fspath(model)
        self._service = _core.Service(flags.words(options, server=False))
        self._about = self._service.describe()

    # What it is.

    @property
    def name(self) -> str:
        """The model's name, as its file has it."""
        return self._about["name"]

    @property
    def architecture(self) -> str:
        return self._about["architecture"]

    @property
    def n_vocab(self) -> int:
        """The number of logits for each token."""
        return self._about["n_vocab"]

    @property
    def n_ctx(self) -> int:
        """The most tokens of a request: prompt and text."""
        return self._about["n_ctx"]

    @property
    def n_ctx_train(self) -> int:
        """The tokens of context that the model was trained for."""
        return self._about["n_ctx_train"]

    def __repr__(self) -> str:
        return f"<skald.Model {self.name} ({self.architecture}), context {self.n_ctx}>"

    def close(self) -> None:
        """Gives the model's memory back; running requests end."""
        self._service.close()

    def __enter__(self) -> Model:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # Texts.

    def generate(
        self, prompt: Prompt, max_tokens: int | None = None, *, logprobs: bool = False, **fields: Any
    ) -> Iterator[Piece]:
        """Yields the tokens that go on with a prompt: a text, or token ids.

        ``fields`` are those of llama-server's ``POST /completion``: ``temperature``, ``top_k``, ``top_p``, ``min_p``,
        ``seed``, ``stop``, ``grammar``, ``json_schema``, ``repeat_penalty``, ``logit_bias`` and others. Closing the
        generator ends the request, and so does Ctrl-C.
        """
        body = _completion(prompt, max_tokens, logprobs, fields)
        for event in calls.stream(self._service, "/completion", body):
            yield from _pieces(event)

    async def generate_async(
        self, prompt: Prompt, max_tokens: int | None = None, *, logprobs: bool = False, **fields: Any
    ) -> AsyncIterator[Piece]:
        """Does as :meth:`generate`, beside other tasks of the event loop."""
        body = _completion(prompt, max_tokens, logprobs, fields)
        async for event in calls.stream_async(self._service, "/completion", body):
            for piece in _pieces(event):
                yield piece

    def complete(self, prompt: Prompt | Sequence[str], **fields: Any) -> dict[str, Any]:
        """Returns OpenAI's completion object for a prompt, or for several that are computed together.

        ``fields`` are those of ``POST /v1/completions``: ``max_tokens``, ``temperature``, ``n``, ``best_of``, ``logprobs``
        and others. ``choices`` has the texts in the order of the prompts.
        """
        return calls.ask(self._service, "/v1/completions", {"prompt": _listed(prompt), **fields})

    async def complete_async(self, prompt: Prompt | Sequence[str], **fields: Any) -> dict[str, Any]:
        """Does as :meth:`complete`."""
        return await calls.ask_async(self._service, "/v1/completions", {"prompt": _listed(prompt), **fields})

    @overload
    def chat(self, messages: Sequence[Message], *, stream: None = None, **fields: Any) -> dict[str, Any]: ...
    @overload
    def chat(self, messages: Sequence[Message], *, stream: bool, **fields: Any) -> Any: ...
    def chat(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        response_format: Mapping[str, Any] | None = None,
        stream: bool | None = None,
        **fields: Any,
    ) -> Any:
        """Answers a chat in the shape of OpenAI's ``POST /v1/chat/completions``.

        Returns the completion object as a ``dict``; with ``stream=True`` an iterator of its chunks. ``response_format``
        makes the content JSON of a schema, ``tools`` may be called. ``fields`` are the endpoint's others.
        """
        body = _chat(messages, tools, response_format, fields)
        if stream:
            return calls.stream(self._service, "/v1/chat/completions", {**body, "stream": True})
        return calls.ask(self._service, "/v1/chat/completions", body)

    async def chat_async(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        response_format: Mapping[str, Any] | None = None,
        **fields: Any,
    ) -> dict[str, Any]:
        """Does as :meth:`chat` without ``stream``."""
        body = _chat(messages, tools, response_format, fields)
        return await calls.ask_async(self._service, "/v1/chat/completions", body)

    def chat_stream_async(
        self,
        messages: Sequence[Message],
        *,
        tools: Sequence[Mapping[str, Any]] | None = None,
        response_format: Mapping[str, Any] | None = None,
        **fields: Any,
    ) -> AsyncIterator[dict[str, Any]]:
        """Does as :meth:`chat` with ``stream=True``."""
        body = _chat(messages, tools, response_format, fields)
        return calls.stream_async(self._service, "/v1/chat/completions", {**body, "stream": True})

    # Tokens and numbers.

    def tokenize(self, text: str, *, add_special: bool = True, parse_special: bool = True) -> list[int]:
        """Returns the token ids of a text.

        ``add_special``: with the tokens that the vocabulary puts around texts (BOS). ``parse_special``: names of control
        tokens in the text are those tokens.
        """
        return self._service.tokenize(text, add_special, parse_special)

    def detokenize(self, ids: Sequence[int], *, special: bool = False) -> str:
        """Returns the text of token ids. ``special``: with the names of control tokens.

        Bytes that are no whole character, at either end, become U+FFFD.
        """
        return self._service.detokenize([int(i) for i in ids], special).decode(errors="replace")

    def logits(self, ids: Sequence[int], *, exact: bool = True) -> npt.NDArray[np.float32]:
        """Returns the logits of every position: float32, (len(ids), n_vocab).

        ``exact``: floats are not rounded in products, as references compute; on the CPU alone. Without, logits are those by
        which :meth:`generate` chooses, and come faster.
        """
        return self._service.logits([int(i) for i in ids], exact)

    def embed(self, texts: str | Sequence[str], **fields: Any) -> npt.NDArray[np.float32]:
        """Returns a vector of length 1 for each text: float32, (number of texts, d).

        ``fields`` are those of ``POST /v1/embeddings``, such as ``dimensions``.
        """
        body = {"input": [texts] if isinstance(texts, str) else list(texts), "encoding_format": "base64", **fields}
        data = calls.ask(self._service, "/v1/embeddings", body)["data"]
        return np.stack([np.frombuffer(base64.b64decode(one["embedding"]), dtype="<f4") for one in data])

    def rerank(self, query: str, documents: Sequence[str], **fields: Any) -> list[dict[str, Any]]:
        """Scores how well each document fits a query, the best first: ``{"index", "relevance_score"}``.

        ``fields`` are those of ``POST /v1/rerank``, such as ``top_n``.
        """
        body = {"query": query, "documents": list(documents), **fields}
        return calls.ask(self._service, "/v1/rerank", body)["results"]


def _chat(
    messages: Sequence[Message],
    tools: Sequence[Mapping[str, Any]] | None,
    response_format: Mapping[str, Any] | None,
    fields: Mapping[str, Any],
) -> dict[str, Any]:
    return {"messages": list(messages), "tools": tools, "response_format": response_format, **fields}
