"""Checks documents against the types that tests/data/packaging/ has of Kubernetes and Envoy: unknown fields are faults.

tools/packaging_fields.py writes the types down, and says what they mean.
"""
import json
from pathlib import Path

DATA = Path(__file__).resolve().parents[1] / "data/packaging"
PLAIN = {"text": str, "number": (int, float), "flag": bool}


def types(name):
    return json.loads((DATA / f"{name}.json").read_text())


def faults(value, kind, known, path=""):
    """What is wrong in a document, a line each with its place."""
    if kind == "any":
        yield from faults_of_any(value, known, path)
    elif isinstance(kind, list) and kind[0] in ("list", "map"):
        yield from faults_of_many(value, kind, known, path)
    elif isinstance(kind, list):
        if value not in kind:
            yield f"{path}: {value!r} is none of {', '.join(kind)}"
    elif kind in PLAIN:
        if not isinstance(value, PLAIN[kind]) or (kind != "flag" and isinstance(value, bool)):
            yield f"{path}: {value!r} is no {kind}"
    elif not isinstance(value, dict):
        yield f"{path}: {value!r} is no object"
    else:
        for key, one in value.items():
            if key not in known[kind]:
                yield f"{path}.{key}: {kind} has no such field"
            else:
                yield from faults(one, known[kind][key], known, f"{path}.{key}")


def faults_of_many(value, kind, known, path):
    if not isinstance(value, list if kind[0] == "list" else dict):
        yield f"{path}: {value!r} is no {kind[0]}"
        return
    for key, one in enumerate(value) if kind[0] == "list" else value.items():
        yield from faults(one, kind[1], known, f"{path}[{key}]")


def faults_of_any(value, known, path):
    """Of an object that names its own type, as Envoy's do."""
    if not isinstance(value, dict) or "@type" not in value:
        return
    name = value["@type"].rpartition("/")[2]
    if name not in known:
        yield f"{path}: {name} is no type that is known"
    else:
        yield from faults({k: v for k, v in value.items() if k != "@type"}, name, known, path)
