#!/usr/bin/env python3
"""Fails when generic kernels use a member of a tier's vector type V that kernels/generic/lanes.h does not list, or lists twice.

usage: check_lanes.py [<repository root>]
       check_lanes.py --self-test

Generic kernels are src/kernels/generic/*.inl and src/quant/*/decode.inl. Overloads with other numbers of arguments are other members.
"""
import collections
import re
import sys

import checks

LANES = "src/kernels/generic/lanes.h"
CONCEPT = re.compile(r"^concept (\w+) =(?! true;)(.*?)^\S*};?$", re.MULTILINE | re.DOTALL)
COMMENT = re.compile(r"//[^\n]*")
USE = re.compile(r"\bV::(?:template )?(\w+)")
DECLARED = re.compile(r"\{ V::(\w+)(\(.*?\)) \} ->"        # { V::add(x, x) } -> ...
                      r"|Constant<V::(\w+)>"
                      r"|typename V::(?:template )?(\w+)(?:<[^>]*>)?;"  # of its own, not in a parameter
                      r"|(?:^|\{)\s*V::(\w+)(\([^;}]*\));", re.MULTILINE)  # whose type is the tier's business


def arity(arguments):
    """How many arguments "(a, f(b, c))" has."""
    depth, n = 0, 0
    for c in arguments:
        depth += (c in "(<") - (c in ")>")
        n += c == "," and depth == 1
    return n + 1 if arguments != "()" else 0


def declarations(text):
    """{(member, number of arguments): [concepts that declare it]}; no number for types and constants."""
    found = collections.defaultdict(list)
    for name, body in CONCEPT.findall(COMMENT.sub("", text)):
        members = set()
        for function, arguments, constant, kind, other, of_other in DECLARED.findall(" ".join(body.split()).replace("; ", ";\n")):
            if function or other:
                members.add((function or other, arity(arguments or of_other)))
            else:
                members.add((constant or kind, None))
        for member in members:
            found[member].append(name)
    return found


def complaints(root):
    """One message for each member that is used and not listed, or listed more than once, or listed and not used."""
    listed = declarations((root / LANES).read_text(encoding="utf-8"))
    names = {name for name, _ in listed}
    used = {}
    for path in sorted([*root.glob("src/kernels/generic/*.inl"), *root.glob("src/quant/*/decode.inl")]):
        for name in USE.findall(COMMENT.sub("", path.read_text(encoding="utf-8"))):
            used.setdefault(name, path.relative_to(root))
    for name, path in used.items():
        if name not in names:
            yield f"{path}: V::{name} is in no concept of {LANES}"
    for (name, _), concepts in listed.items():
        if len(concepts) > 1:
            yield f"{LANES}: V::{name} is in {' and '.join(concepts)}"
        if name not in used:
            yield f"{LANES}: no generic kernel uses V::{name}"


def self_test():
    """The check must pass a small list and find each fault."""
    lanes = ("template <class V>\nconcept Floats = requires(typename V::F x) {\n  typename V::F;\n  requires Constant<V::kWidth>;  // V::kNot\n"
             "  { V::add(x, x) } -> std::same_as<typename V::F>;\n  V::odd(x,\n         x);\n};\n\n"
             "template <auto>\nconcept Constant = true;\n\ntemplate <class V>\nconcept More = Floats<V> && requires(typename V::F x) {\n  { V::add(x) } -> std::same_as<void>;\n"
             "  typename V::template Dot<0, 1>;\n};\n")
    kernel = "typename V::F y = V::add(V::kWidth); V::odd(1); using D = V::template Dot<1, 2>;  // V::no_member\n"

    def found(lanes, kernel):
        return checks.complaints_about(complaints, {LANES: lanes, "src/kernels/generic/a.inl": kernel, "src/quant/q/decode.inl": "V::add(y);\n"})

    assert found(lanes, kernel) == [], found(lanes, kernel)
    for what, messages in {"not listed": found(lanes, kernel + "V::sub(y);\n"),
                           "listed twice": found(lanes.replace("V::add(x) }", "V::add(x, x) }"), kernel),
                           "not used": found(lanes, kernel.replace("V::odd(1);", ""))}.items():
        assert len(messages) == 1, f"{what}: {messages}"
    print("check_lanes: self-test passed")


if __name__ == "__main__":
    sys.exit(checks.main(sys.argv[1:], complaints, self_test, "check_lanes: {} faults"))
