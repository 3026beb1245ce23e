#!/usr/bin/env python3
"""Fails on sentences of the pages and of the public headers that are hard to read, by the rules that a script can tell.

usage: check_prose.py [<repository root>]
       check_prose.py --self-test

Reads README.md, CONTRIBUTING.md, docs/ (docs/cli.md has the texts of --help), the newest section of CHANGELOG.md, and the
comments of include/skald/. Code and the addresses of links do not count. A number without a letter is no word. In the
comments of src/ and tests/, scripts of the page included, the words of PRIVATE_RULES alone are reported.
"""
import re
import sys
from dataclasses import dataclass

import checks
import pages

MOST_WORDS = 28
CODE = "\x00"    # stands for a span of code
LINKED = "\x01"  # begins the text of a link

WORD = re.compile(r"[^\s\x00]*[^\W\d_][^\s\x00]*")
LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
SPAN = re.compile(r"(`+)[^`]+\1")
MARK = re.compile(r"\s*(?:[-*]|\d+\.|>)\s+|<!--.*")  # begins an item, or is a comment
# A sentence begins with a capital letter, a number, code, a link, or a name as q8_0 and llama.cpp.
END = re.compile(r"[.!?][)\]\"*_]*\s+(?=[*_\"(\[]*(?:[A-Z0-9\x00\x01]|[a-z]\w*[._]\w))")
TRAILING = re.compile(r"(?<=[\w;,{}(]) *// (.*)")  # a comment after code, whose texts are empty

BEFORE_NOUNS = """about after and are as at before beside between beyond but by for from in into is like of on or over than
to under was were with within without""".split()
WHAT = rf"(?:^[\W\d]*|[:;(]\s*|\b(?:{'|'.join(BEFORE_NOUNS)})\s+)what(?:ever)?\b(?!.*\?[)\"*_]*$)"  # but in a question
BESIDE_THINGS = r"(?! (?:an?|the|its|your) (?:\w+ )?(?:proxy|firewall|router|gateway|load balancer)\b)"
RULES = {rule: re.compile(pattern, re.IGNORECASE) for rule, pattern in {
    "a \"what\" clause in place of a noun": WHAT,
    "an actor without a class, as \"somebody\"": r"\b(?:nobody|somebody|anybody|someone|anyone|whoever|whomever)\b",
    "\"behind\" for \"after\" or \"beyond\"": rf"(?<!look-)\bbehind\b{BESIDE_THINGS}",
    "\"so many\" for N or \"this many\"": r"\bso many\b",
}.items()}

PRIVATE_RULES = list(RULES)[1:]  # a short comment may begin with a "what" clause

VERB = re.compile(r"[A-Z][a-z]+s\b(?!')")
NO_VERBS = """Access Address As Bytes Class Does Its Keys Less Numbers Options Pages Requests Texts This Thus Tokens Values
Various Words""".split()


@dataclass
class Text:
    line: int              # of its beginning in the file
    text: str              # with its line breaks
    is_doc: bool = False   # a comment of ///


def plain(text):
    """The text without code and addresses, with its line breaks."""
    hidden = SPAN.sub(lambda span: CODE + "\n" * span[0].count("\n"), text)
    return LINK.sub(lambda link: LINKED + link[1] + "\n" * link[0].partition("](")[2].count("\n"), hidden)


def items(first, block):
    """The items of a paragraph's lines; a heading is one, too."""
    start, held = first, []
    for number, line in enumerate(block, first):
        mark, heading = MARK.match(line), line.startswith("#")
        if held and (mark or heading):
            yield Text(start, "\n".join(held))
            held = []
        if heading:
            yield Text(number, line.strip("# "))
        else:
            start = start if held else number
            held.append(line[mark.end():] if mark else line)
    if held:
        yield Text(start, "\n".join(held))


def texts_of_page(text):
    for first, block in pages.paragraphs(text.splitlines()):
        if block[0].startswith("|"):
            yield from (Text(first, cell.strip()) for cell in re.split(r"(?<!\\)\|", block[0]))
        else:
            yield from items(first, block)


def newest_section(text):
    """A changelog up to the end of its first section, in the same lines."""
    return "\n## ".join(text.split("\n## ")[:2])


def texts_of_header(text):
    """Its comments: lines of // or /// that follow each other, those at the end of a line, and /* */."""
    held, kind, start = [], "", 0
    for number, line in enumerate(text.splitlines(), 1):
        whole = re.match(r"\s*(///?)(?: |$)(.*)", line)
        if held and (not whole or whole[1] != kind):
            yield Text(start, "\n".join(held), kind == "///")
            held = []
        if whole:
            start, kind = (start if held else number), whole[1]
            held.append(whole[2])
        elif trailing := TRAILING.search(re.sub(r'"[^"]*"', '""', line)):
            yield Text(number, trailing[1])
    if held:
        yield Text(start, "\n".join(held), kind == "///")
    for comment in re.finditer(r"/\*(.*?)\*/", text, re.DOTALL):
        yield Text(text[:comment.start()].count("\n") + 1, re.sub(r"\n\s*\* ?", "\n", comment[1]).strip(" "))


def sentences(text):
    """(line, sentence) of each."""
    clean, at = plain(text.text), 0
    for end in [*(match.end() for match in END.finditer(clean)), len(clean)]:
        if sentence := clean[at:end].strip():
            yield text.line + clean[:clean.index(sentence, at)].count("\n"), " ".join(sentence.replace(LINKED, "").split())
        at = end


def faults(sentence):
    words = len(WORD.findall(sentence))
    if words > MOST_WORDS:
        yield f"a sentence of {words} words, where {MOST_WORDS} are the most"
    yield from broken_rules(sentence, RULES)


def broken_rules(sentence, rules):
    return (rule for rule in rules if RULES[rule].search(sentence))


def faults_of(text):
    """(line, fault) of each."""
    if text.is_doc and (not VERB.match(text.text) or text.text.split()[0] in NO_VERBS):
        yield text.line, f"a docstring that begins with no verb: {text.text.splitlines()[0][:90]}"
    for line, sentence in sentences(text):
        for fault in faults(sentence):
            yield line, f"{fault}: {sentence.replace(CODE, '`...`')[:90]}"


def texts_of(path):
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".h":
        return texts_of_header(text)
    return texts_of_page(newest_section(text) if path.name == "CHANGELOG.md" else text)


def complaints(root):
    named = [path for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md") if (path := root / name).exists()]
    for path in [*named, *sorted(root.glob("docs/**/*.md")), *sorted(root.glob("include/skald/*.h"))]:
        for text in texts_of(path):
            for line, fault in faults_of(text):
                yield f"{path.relative_to(root)}:{line}: {fault}"
    for path in private_sources(root):
        for text in texts_of_header(path.read_text(encoding="utf-8")):
            for line, sentence in sentences(text):
                for rule in broken_rules(sentence, PRIVATE_RULES):
                    yield f"{path.relative_to(root)}:{line}: {rule}: {sentence.replace(CODE, '`...`')[:90]}"


def private_sources(root):
    return sorted(path for room in ("src", "tests") for end in ("h", "cpp", "js", "mjs") for path in root.glob(f"{room}/**/*.{end}"))


def assert_clean(name, text):
    found = checks.complaints_about(complaints, {name: text})
    assert found == [], f"{text}: {found}"


def assert_reported(name, line, rule, text):
    found = checks.complaints_about(complaints, {name: text})
    assert len(found) == 1 and found[0].startswith(f"{name}:{line}: ") and rule in found[0], f"{text}: {found}"


def self_test():
    """Each rule reports the texts that break it, at their line, and leaves the others alone."""
    long = "word " * MOST_WORDS
    for text in (f"{long}.", f"{long}`code of more words` 1.5 8.", f"{long[5:]}[link](with/many/more/words).",
                 f"{long}. q8_0 is {long[10:]}", f"- {long}\n- {long}", "What is a page?", "The message says what is wrong.",
                 "**What if it dies?** It starts again.", "Skald stands behind a reverse proxy.",
                 "A look-behind is rejected.", "`behind` and `so many` are words.",
                 "| a | The owner of a request |", "```\nnobody behind what\n```"):
        assert_clean("README.md", text + "\n")
    for rule, text in (("words", long + "more."), ("words", f"- {long}\n  more."), ("words", f"| a | {long}more |"),
                       ("words", f"{long}, llama.cpp and 1 more."), ("what", "# What works"),
                       ("what", "It depends on what comes."), ("what", "Pages: what a folder holds."),
                       ("what", "| what | files |"), ("what", "Why? It is what it is."),
                       ("somebody", "Nobody waits."), ("somebody", "The turn of whoever is next."),
                       ("behind", "It runs behind 8,000 tokens."), ("so many", "It takes so\nmany tokens.")):
        for name in ("README.md", "docs/design/a.md"):
            assert_reported(name, 3, rule, f"Good.\n\n{text}\n")

    header = "include/skald/a.h"
    for text in ("/// Returns the pages.", "/// Holds a page. Its\n/// owner waits.", "int n = 0;  // of the pages",
                 "// Pages."):
        assert_clean(header, text + "\n")
    for rule, text in (("verb", "/// The pages."), ("verb", "/// Tokens of it."), ("what", "int n = 0;  // what is left"),
                       ("somebody", "/* Nobody waits. */"), ("behind", "// Pages behind it."),
                       ("what", "/// Tells of a page and of\n/// what waits.")):
        assert_reported(header, 2, rule, f"#pragma once\n{text}\n")

    for name in ("src/kv/a.h", "tests/kv/a_test.cpp", "src/serve/page/a.js"):
        assert_clean(name, "/// The pages: what is left of them.\nint behind = 0;\nf(\"nobody\");\n")
        assert_reported(name, 2, "behind", "int n = 0;\n// The pages behind it.\n")
        assert_reported(name, 1, "somebody", "int n = 0;  // of somebody\n")

    changelog = "# Changelog\n\n## Unreleased\n\n- {}\n\n## 0.1\n\n- Nobody waits.\n"
    assert_clean("CHANGELOG.md", changelog.format("A page."))
    assert_reported("CHANGELOG.md", 5, "somebody", changelog.format("Somebody waits."))
    print("check_prose: self-test passed")


if __name__ == "__main__":
    sys.exit(checks.main(sys.argv[1:], complaints, self_test, "check_prose: {} sentences that are hard to read"))
