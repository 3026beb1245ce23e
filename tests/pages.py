"""What the Markdown pages of the tree say in code: spans between backticks, fenced blocks, and the commands in both."""
import re
import shlex
from dataclasses import dataclass

FENCE = re.compile(r"\s*```(\w*)")
SPAN = re.compile(r"`([^`]+)`")
SHELL = ("sh", "bash", "console")


@dataclass
class Code:
    line: int        # its number in the page
    text: str        # a span, or a line of a block
    language: str    # the block's, empty where it names none; None of a span
    paragraph: str   # the lines around a span that belong together; a row of a table is a paragraph of its own

    @property
    def is_span(self):
        return self.language is None


def pages(root):
    """The pages whose every word is about the tree as it is now; the changelog is about the past."""
    found = [path for pattern in ("*.md", "docs/**/*.md", "bench/**/*.md", "tools/**/*.md") for path in root.glob(pattern)]
    return sorted(path for path in found if path.name != "CHANGELOG.md")


def paragraphs(lines):
    """(number of the first line, lines) of each; without fenced blocks."""
    start, block, fenced = 0, [], False
    for number, line in enumerate(lines, 1):
        fence = FENCE.match(line)
        whole = line.startswith("|")
        if fence or fenced or whole or not line.strip():
            if block:
                yield start, block
            block = []
            if fence:
                fenced = not fenced
            elif whole and not fenced:
                yield number, [line]
        else:
            start = start if block else number
            block.append(line)
    if block:
        yield start, block


def spans(text):
    for first, block in paragraphs(text.splitlines()):
        for number, line in enumerate(block, first):
            for match in SPAN.finditer(line):
                yield Code(number, match[1].replace("\\|", "|") if line.startswith("|") else match[1], None, "\n".join(block))


def blocks(text):
    """The lines of all fenced blocks; a line that ends in a backslash goes on in the next."""
    language, held, start = None, "", 0
    for number, line in enumerate(text.splitlines(), 1):
        if fence := FENCE.match(line):
            language, held = (fence[1] if language is None else None), ""
        elif language is not None:
            start = start if held else number
            held += line
            if held.endswith("\\"):
                held = held[:-1]
            elif held:
                yield Code(start, held, language, "")
                held = ""


def code(text):
    """All code of a page, in the order of its lines."""
    return sorted([*spans(text), *blocks(text)], key=lambda piece: piece.line)


def plain(text):
    """(line number, text) outside of all code."""
    for first, block in paragraphs(text.splitlines()):
        for number, line in enumerate(block, first):
            yield number, SPAN.sub(" ", line)


def words(line):
    """As a shell cuts it, without a comment; by spaces where it is no line of a shell."""
    try:
        return shlex.split(line, comments=True)
    except ValueError:
        return line.split()


def commands(piece):
    """The commands of a span, of a line of a shell's block, or of a line that begins with a prompt, as lists of words."""
    if not piece.is_span and piece.language not in SHELL and not piece.text.startswith("$ "):
        return []
    found = [[]]
    for word in words(piece.text.removeprefix("$ ")):
        if word in ("&&", "||", ";", "|", ">"):
            found.append([])
        elif found[-1] or not re.fullmatch(r"\w+=.*", word):  # NAME=value before a command is its environment
            found[-1].append(word)
    return [command for command in found if command]
