"""The server of ``skald serve``, on threads of this process."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any

from . import _core, flags

if TYPE_CHECKING:
    import openai


class Server:
    """Answers over HTTP until :meth:`close`, or the end of its ``with`` block; see :func:`serve`."""

    def __init__(self, model: str | os.PathLike[str] | None = None, **options: Any):
        if model is not None:
            options["model"] = os.fspath(model)
        self._server = _core.Server(flags.words(options, server=True))
        self._key = options.get("api_key")
        while not self._server.is_ready():
            time.sleep(0.01)

    @property
    def url(self) -> str:
        """The server's address: ``http://127.0.0.1:8080``."""
        return self._server.address

    def close(self) -> None:
        """Refuses new requests, and waits until those that run have ended."""
        self._server.close()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def openai_client(self, **options: Any) -> openai.OpenAI:
        """Returns a client of the package ``openai`` for this server."""
        import openai

        key = self._key[0] if isinstance(self._key, (list, tuple)) else self._key
        return openai.OpenAI(base_url=self.url + "/v1", api_key=key or "none", **options)


def serve(model: str | os.PathLike[str] | None = None, *, port: int = 0, **options: Any) -> Server:
    """Starts the server, and returns it when the model is loaded.

    ``port`` 0: any free one. ``options`` are the flags of ``skald serve`` with underscores: ``host="0.0.0.0"``,
    ``api_key=["secret"]``, ``parallel=8``; ``print(skald.options(server=True))`` lists them. Raises :class:`skald.Error`
    for a model that cannot be served and for an address that is in use.
    """
    return Server(model, port=port, **options)


def openai_client(model: str | os.PathLike[str] | None = None, **options: Any) -> openai.OpenAI:
    """Starts a server, and returns a client of the package ``openai`` for it. The server lives as long as the client."""
    server = serve(model, **options)
    client = server.openai_client()
    client._skald_server = server  # type: ignore[attr-defined]
    return client
