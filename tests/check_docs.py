#!/usr/bin/env python3
"""Fails on any file or folder that a Markdown page names and that does not exist, and on a page of docs/ that its index leaves out.

usage: check_docs.py [<repository root>]
       check_docs.py --self-test

A path is what a link points to, a code span of one word with a slash, or a word of a longer span or of a block (of a shell or of no
language) that begins with a folder of the repository or of src/. It may be meant from the root, from src/ or include/, from the page's
folder, or from a folder that the same line names before it. <name>, * and ... stand for anything, {a,b} for either; a file's ending
may be left out.
"""
import itertools
import re
import sys

import checks
import pages

LINK = re.compile(r"\]\(([^)\s]+)\)")
PATH = re.compile(r"[\w.<>{}*,-]+(?:/[\w.<>{}*,-]+)*/?")
ELSEWHERE = {
    "build": "made by the build",
    "origin": "a branch of git",
}


def alternatives(path):
    """The glob patterns that a path with <name>, * and {a,b} stands for."""
    parts = re.split(r"\{([^{}]*)\}", re.sub(r"<[^>]*>|\.\.\.", "*", path))
    choices = [part.split(",") if i % 2 else [part] for i, part in enumerate(parts)]
    return ["".join(choice) for choice in itertools.product(*choices)]


def exists(folder, path):
    """Whether all that the path stands for is in the folder."""
    def found(pattern):
        return any(True for end in ("", ".*") for _ in folder.glob(pattern.rstrip("/") + end))

    return folder.is_dir() and all(found(pattern) for pattern in alternatives(path))


def is_path(word):
    return "/" in word and not word.startswith("/") and PATH.fullmatch(word) is not None


def named(root, page, text):
    """(line number, path, strict) of all paths of a page. A path that is strict must exist wherever it begins."""
    top = {path.name for folder in (root, root / "src") if folder.is_dir() for path in folder.iterdir() if path.is_dir()}
    for piece in pages.code(text):
        words = pages.words(piece.text)
        if piece.is_span and len(words) == 1 and is_path(words[0]):
            yield piece.line, words[0], True
        elif piece.is_span or piece.language in ("", *pages.SHELL):
            for word in words:
                if is_path(word) and word.split("/")[0] in top:
                    yield piece.line, word, False


def left_out(root):
    """The pages of docs/ to which docs/index.md has no link."""
    index = root / "docs/index.md"
    linked = {target.partition("#")[0] for target in LINK.findall(index.read_text(encoding="utf-8"))} if index.exists() else set()
    return sorted(page.name for page in index.parent.glob("*.md") if index.exists() and page != index and page.name not in linked)


def complaints(root):
    for name in left_out(root):
        yield f"docs/index.md: no link to docs/{name}"
    for page in pages.pages(root):
        where, text = page.relative_to(root), page.read_text(encoding="utf-8")
        for number, line in pages.plain(text):
            for target in LINK.findall(line):
                path = target.partition("#")[0]
                if path and not re.match(r"\w+:", path) and not (page.parent / path).exists():
                    yield f"{where}:{number}: no file {path}"
        folders = {}  # of each line
        for number, path, strict in named(root, page, text):
            bases = [root, root / "src", root / "include", page.parent, *folders.get(number, [])]
            if path.split("/")[0] not in ELSEWHERE and not any(exists(base, path) for base in bases):
                yield f"{where}:{number}: no file or folder {path}"
            if strict:
                folder = root / re.split(r"[<*{]", path)[0]
                folders.setdefault(number, []).append(folder if folder.is_dir() else folder.parent)


def self_test():
    tree = {
        "src/base/a.h": "", "src/base/a.cpp": "", "src/base/deep/b.h": "", "include/skald/error.h": "", "tools/x.py": "", "docs/y.md": "",
        "README.md": "See `src/base/`, `base/a.h`, [y](docs/y.md#z), [w](https://example.org/), `skald/error.h`, `src/base/a.{h,cpp}`\n"
                     "and `src/<folder>/a.h`, `base/*.h`, `base/a`, `build/release/skald`, `/sys/x`, `3/4 of it`.\n\n"
                     "| `src/base/` | `deep/b.h` |\n\n```sh\npython tools/x.py --out other/file  # tools/no.py\n```\n\n```\nbase/...  all\n```\n",
    }
    assert checks.complaints_about(complaints, tree) == [], checks.complaints_about(complaints, tree)
    for line in ("`src/none/`", "`base/none.h`", "`src/base/a.{h,inl}`", "[y](docs/none.md)", "`python tools/none.py`", "`none/<name>.cpp`",
                 "`deep/b.h`", "```sh\npython tools/none.py\n```", "```\nbase/none.h   does it\n```", "| `src/base/` | `deep/none.h` |"):
        for name in ("README.md", "docs/y.md"):
            found = checks.complaints_about(complaints, {**tree, name: line + "\n"})
            assert len(found) == 1 and found[0].startswith(name), f"{name}, {line}: {found}"
    assert checks.complaints_about(complaints, {**tree, "docs/index.md": "[y](y.md#z)\n"}) == []
    assert checks.complaints_about(complaints, {**tree, "docs/index.md": "`y.md`\n"}) == ["docs/index.md: no link to docs/y.md"]
    print("check_docs: self-test passed")


if __name__ == "__main__":
    sys.exit(checks.main(sys.argv[1:], complaints, self_test, "check_docs: {} names of what does not exist, and pages that the index leaves out"))
