#!/usr/bin/env python3
"""Fails unless each tier's object file defines exactly one external symbol, which names the tier.

usage: check_tier_symbols.py <build folder> [<nm program>]
       check_tier_symbols.py --self-test

A tier is compiled with its own instruction-set flags. If it kept an inline function as a weak symbol, the linker might
keep that copy for the whole program, which would then die on processors without the instructions.
"""
import pathlib
import re
import subprocess
import sys

OBJECT = re.compile(r"gen/tier_(\w+)\.cpp\.o(?:bj)?$")
NOT_TIERS = {"registry"}  # gen/tier_registry.cpp is the list of tiers
# What nm prints for undefined, local and undefined weak symbols. Lower case u (unique) and V, v, W (weak) are definitions
# that the linker shares between objects.
HARMLESS = re.compile(r"[Uwabdnrst]$")


def tier_objects(build):
    """{tier: [object files]}; a build folder may hold several (one for each library)."""
    found = {}
    for path in sorted(build.rglob("tier_*.cpp.o*")):
        match = OBJECT.search(path.as_posix())
        if match and match[1] not in NOT_TIERS:
            found.setdefault(match[1], []).append(path)
    return found


def external_symbols(listing):
    """[(type, demangled name)] of the definitions others can see, from the output of nm -C."""
    symbols = []
    for line in listing.splitlines():
        match = re.match(r"(?:[0-9a-fA-F]+)?\s+(\S) (.+)$", line)
        if match and not HARMLESS.match(match[1]):
            symbols.append((match[1], match[2]))
    return symbols


def complaint(tier, symbols):
    """What is wrong with a tier's external symbols; None when all is well."""
    weak = [name for kind, name in symbols if kind in "uVvW"]
    if weak:
        return "weak definitions: " + "; ".join(weak)
    names = [name for _, name in symbols]
    if len(names) != 1:
        return f"want 1 external symbol, have {len(names)}: " + "; ".join(names)
    if f"tier_{tier}" not in names[0]:
        return f"its symbol does not name it: {names[0]}"
    return None


def self_test():
    fill = "0000000000000010 T skald::tier_avx2_fill(skald::KernelTable&)\n"
    harmless = (
        "                 U memcpy\n                 w __cxa_finalize\n0000000000000000 t skald::(anonymous namespace)::f()\n"
        "0000000000000000 r kTable\n0000000000000000 b state\n"
    )
    assert complaint("avx2", external_symbols(harmless + fill)) is None
    for what, listing in {
        "nothing": harmless,
        "another function": fill + "0000000000000040 T skald::helper()\n",
        "another variable": fill + "0000000000000040 D skald::table\n",
        "a weak function": fill + "0000000000000040 W std::max(float const&, float const&)\n",
        "only a weak function": fill.replace(" T ", " W "),
        "a weak object": fill + "0000000000000040 V vtable for skald::Thing\n",
        "a unique object": fill + "0000000000000040 u skald::f()::cache\n",
        "another tier's name": fill.replace("avx2", "sse"),
    }.items():
        assert complaint("avx2", external_symbols(listing)), f"{what} went unnoticed"
    print("check_tier_symbols: self-test passed")


def main(arguments):
    if arguments == ["--self-test"]:
        self_test()
        return 0
    build, nm = pathlib.Path(arguments[0]), (arguments[1:] or ["nm"])[0]
    tiers = tier_objects(build)
    if not tiers:
        print(f"check_tier_symbols: no tier objects below {build}", file=sys.stderr)
        return 1
    failed = 0
    for tier, paths in tiers.items():
        for path in paths:
            listing = subprocess.run([nm, "-C", str(path)], check=True, capture_output=True, text=True).stdout
            if problem := complaint(tier, external_symbols(listing)):
                print(f"{path}: {problem}", file=sys.stderr)
                failed += 1
    print(f"check_tier_symbols: {', '.join(tiers)}: {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
