"""Options of models and servers: the flags of ``skald batch`` and ``skald serve``, as names of Python."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from typing import Any

from . import _core

# Names that other libraries have for them.
_ALIASES = {"n_ctx": "ctx_size", "n_threads": "threads", "n_batch": "batch_size", "n_ubatch": "ubatch_size"}


def _name(flag: str) -> str:
    return flag.removeprefix("--").replace("-", "_")


def _known(server: bool) -> dict[str, tuple[str, Mapping[str, Any], bool]]:
    """Returns, for each name, the flag, what is known of it, and whether it switches off."""
    known = {}
    for option in _core.options(server):
        for off, names in ((False, option["names"]), (True, option["off"])):
            for flag in names:
                known[_name(flag)] = (flag, option, off)
    return known


def described(server: bool = False) -> str:
    """Returns a table of all options: names, kinds and meanings.

    ``server``: those of :func:`skald.serve`, else those of :class:`skald.Model`.
    """
    lines, group = [], None
    for option in _core.options(server):
        if option["group"] != group:
            group = option["group"]
            lines.append(f"\n{group}:")
        names = ", ".join(_name(flag) for flag in option["names"] or option["off"])
        kind = option["kind"] if option["takes_value"] else "bool"
        standard = f" = {option['standard']}" if option["standard"] else ""
        lines.append(f"  {names}: {kind}{standard}\n      {option['help']}")
    return "\n".join(lines).strip()


def _words_of(name: str, value: Any, known: dict[str, tuple[str, Mapping[str, Any], bool]]) -> list[str]:
    found = known.get(_ALIASES.get(name, name))
    if found is None:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"; did you mean {near[0]}?" if near else "; print(skald.options()) lists them"
        raise TypeError(f"there is no option {name}{hint}")
    flag, option, off = found
    if option["takes_value"]:
        if isinstance(value, bool):
            raise TypeError(f"{name}: want a value ({option['kind']}), not {value}")
        if isinstance(value, (list, tuple)):
            if option["adds_up"]:
                return [word for one in value for word in (flag, str(one))]
            return [flag, ",".join(str(one) for one in value)]
        return [flag, os.fspath(value) if isinstance(value, os.PathLike) else str(value)]
    if not isinstance(value, bool):
        raise TypeError(f"{name}: want True or False, not {value!r}")
    if value:
        return [flag]
    opposite = option["names"] if off else option["off"]
    return [opposite[0]] if opposite else []


def words(options: Mapping[str, Any], server: bool) -> list[str]:
    """Returns options as words of the command line. ``None`` leaves an option as it is.

    Raises ``TypeError`` naming an option that is not known, or whose value is of another type.
    """
    known = _known(server)
    out: list[str] = []
    for name, value in options.items():
        if value is not None:
            out += _words_of(name, value, known)
    return out
