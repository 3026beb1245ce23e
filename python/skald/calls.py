"""Calls of the service: requests in JSON, and answers as a whole or as streams of events."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any

from . import _core
from .errors import Error

_CODES = {404: "not_found", 429: "busy", 499: "cancelled", 500: "internal", 501: "unsupported", 503: "busy"}


def _error(status: int, body: Mapping[str, Any]) -> Error:
    error = body.get("error", {})
    code = "unsupported" if error.get("code") == "unsupported" else _CODES.get(status, "bad_input")
    return Error(code, error.get("message", f"the request failed with status {status}"))


def _refuse_unread(call: _core.Call) -> None:
    unread = call.headers.get("x-ignored-fields")
    if unread:
        call.leave()
        raise TypeError(f"unknown arguments: {unread}")


class Events:
    """Takes the events of a stream (server-sent events) out of the bytes as they come."""

    def __init__(self) -> None:
        self._rest = b""

    def push(self, data: bytes) -> Iterator[dict[str, Any]]:
        self._rest += data
        while (end := self._rest.find(b"\n\n")) >= 0:
            event, self._rest = self._rest[:end], self._rest[end + 2 :]
            for line in event.split(b"\n"):
                if line.startswith(b"data: ") and line != b"data: [DONE]":
                    value = json.loads(line[6:])
                    if isinstance(value, dict) and "error" in value:
                        raise _error(500, value)
                    yield value


def _start(service: _core.Service, path: str, body: Mapping[str, Any]) -> _core.Call:
    given = {name: value for name, value in body.items() if value is not None}
    return _core.Call(service, "POST", path, json.dumps(given).encode())


def _rest(call: _core.Call) -> bytes:
    return b"".join(iter(call.read, b""))


def _checked(call: _core.Call, data: bytes) -> Any:
    value = json.loads(data)
    if call.status != 200:
        raise _error(call.status, value)
    _refuse_unread(call)
    return value


def ask(service: _core.Service, path: str, body: Mapping[str, Any]) -> Any:
    """Returns the answer as a whole. Ctrl-C cancels the request."""
    call = _start(service, path, body)
    try:
        return _checked(call, _rest(call))
    finally:
        call.leave()


def stream(service: _core.Service, path: str, body: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yields the events of the answer. Ctrl-C cancels the request, and so does a generator that is closed."""
    call = _start(service, path, body)
    try:
        if call.status != 200:
            raise _error(call.status, json.loads(_rest(call)))
        _refuse_unread(call)
        events = Events()
        while piece := call.read():
            yield from events.push(piece)
    finally:
        call.leave()


async def _bytes(call: _core.Call) -> AsyncIterator[bytes]:
    loop = asyncio.get_running_loop()
    while True:
        piece = call.poll()
        if piece is None:
            ready = asyncio.Event()
            loop.add_reader(call.fileno(), ready.set)
            try:
                await ready.wait()
            finally:
                loop.remove_reader(call.fileno())
        elif piece:
            yield piece
        else:
            return


async def ask_async(service: _core.Service, path: str, body: Mapping[str, Any]) -> Any:
    """Does as :func:`ask`; a task that is cancelled cancels the request."""
    call = _start(service, path, body)
    try:
        return _checked(call, b"".join([piece async for piece in _bytes(call)]))
    finally:
        call.leave()


async def stream_async(service: _core.Service, path: str, body: Mapping[str, Any]) -> AsyncIterator[dict[str, Any]]:
    """Does as :func:`stream`."""
    call = _start(service, path, body)
    events, failed = Events(), b""
    try:
        async for piece in _bytes(call):
            if call.status != 200:
                failed += piece
                continue
            _refuse_unread(call)
            for event in events.push(piece):
                yield event
        if call.status != 200:
            raise _error(call.status, json.loads(failed))
    finally:
        call.leave()
