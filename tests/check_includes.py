#!/usr/bin/env python3
"""Fails on any #include in src/ that the table of docs/architecture.md does not allow.

usage: check_includes.py [<repository root>]
       check_includes.py --self-test

A file of src/<folder>/ may include its own folder, the public headers skald/*.h, and the folders that the table names for it.
The public headers themselves may include only each other.
"""
import re
import sys

import checks

HEADER = ["folder", "may include"]
PUBLIC = "skald"
SOURCES = {".h", ".cpp", ".inl", ".cu", ".cuh"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def allowed_folders(page):
    """{folder: set of folders it may include}, from the one table under the header line `| folder | may include |`."""
    lines = page.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith("|") and cells(line) == HEADER), None)
    if start is None:
        raise ValueError("no table with the header line | folder | may include |")
    table = {}
    for line in lines[start + 2:]:  # after the header and its rule
        if not line.startswith("|"):
            break
        folder, may_include = cells(line)
        table[folder] = set(may_include.split()) - {"-"}
    for folder, targets in table.items():
        for unknown in sorted(targets - table.keys()):
            raise ValueError(f"the row of {folder} names {unknown}, which has no row")
    return table


def includes(path):
    """(line number, path, whether quoted) of each include of a file."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if match := INCLUDE.match(line):
            yield number, match[1] or match[2], match[1] is not None


def violations(root):
    """One message for each include that is not allowed."""
    table = allowed_folders((root / "docs/architecture.md").read_text(encoding="utf-8"))
    files = [(path, path.relative_to(root / "src").parts[0]) for path in (root / "src").rglob("*")]
    files += [(path, PUBLIC) for path in (root / "include").rglob("*")]
    for path, folder in sorted(files):
        if path.suffix not in SOURCES:
            continue
        where = path.relative_to(root)
        if folder not in table and folder != PUBLIC:
            yield f"{where}: the table has no row for {folder}"
            continue
        for number, included, quoted in includes(path):
            target, slash, _ = included.partition("/")
            if not slash or target in (folder, PUBLIC) or target in table.get(folder, ()):
                continue
            if quoted or target in table:  # <sys/mman.h> is the system's, <base/error.h> is ours in disguise
                yield f"{where}:{number}: {folder} may not include {target} ({included})"


def self_test():
    """The check must pass a small tree of allowed includes and find each forbidden one."""
    page = "text\n\n| folder | may include |\n|---|---|\n| base | - |\n| text | base |\n\nmore text\n"
    good = {
        "src/base/a.h": '#include <sys/mman.h>\n#include <vector>\n#include "skald/error.h"\n#include "base/b.h"\n',
        "src/text/deep/c.cpp": '#include "base/a.h"\n  #  include "text/c.h"\n#include "c.h"\n// #include "io/no.h"\n',
        "src/CMakeLists.txt": "",
        "include/skald/error.h": '#include "skald/types.h"\n',
    }
    bad = {
        "upwards": ("src/base/bad.h", '#include "text/c.h"\n'),
        "in angle brackets": ("src/base/bad.cpp", "#include <text/c.h>\n"),
        "unknown folder": ("src/text/bad.inl", '#include "elsewhere/c.h"\n'),
        "through the parent": ("src/text/bad.cpp", '#include "../base/a.h"\n'),
        "folder without a row": ("src/new/bad.cpp", "\n"),
        "public header": ("include/skald/bad.h", '#include "base/a.h"\n'),
    }

    def found(tree, text=page):
        return checks.complaints_about(violations, {"docs/architecture.md": text, **tree})

    assert found(good) == [], found(good)
    for what, (name, content) in bad.items():
        messages = found({**good, name: content})
        assert len(messages) == 1 and messages[0].startswith(name), f"{what}: {messages}"
    for broken in ("no table here\n", page.replace("| text | base |", "| text | base io |")):
        try:
            found(good, broken)
        except ValueError:
            continue
        raise AssertionError(f"a broken table went unnoticed: {broken}")
    print("check_includes: self-test passed")


if __name__ == "__main__":
    sys.exit(checks.main(sys.argv[1:], violations, self_test, "check_includes: {} forbidden"))
