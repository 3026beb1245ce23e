"""Skald: language models on this machine, with contexts so long that the KV cache is what matters."""

from . import ops
from ._core import version as __version__
from .errors import Error
from .model import Model, Piece
from .flags import described as options
from .server import Server, openai_client, serve

__all__ = ["Error", "Model", "Piece", "Server", "__version__", "openai_client", "ops", "options", "serve"]
