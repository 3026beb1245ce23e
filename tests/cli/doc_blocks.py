"""The commands that pages show: fenced blocks with what an HTML comment before them says about running them.

<!-- not run: REASON -->          the block cannot be run here
<!-- run with: FLAGS -->          made smaller: "-n 2" replaces the value where a command has the flag, NAME=VALUE is its environment
"""
import re
from dataclasses import dataclass, field

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHOWN_FILE = re.compile(r"With this `([^`]+)`:\n\n\Z")
COMMENT = re.compile(r"<!--\s*((?:(?!-->).)*?)\s*-->\n+\Z", re.DOTALL)
SHELL = ("sh", "bash", "console")
WAITS = re.compile(r"skald (?:serve\b|chat\b(?!.*(?: -st| --single-turn)\b))(?!.*&$)")  # for clients, or for a person


class BadMarker(Exception):
    pass


@dataclass
class Block:
    where: str                 # "docs/serve.md:12"
    language: str
    content: str
    shows: str = None          # the name of the file that it is the content of
    output: str = None         # the block right after it, which is what its last command prints
    not_run: str = None        # why
    flags: dict = field(default_factory=dict)
    environment: dict = field(default_factory=dict)

    def commands(self):
        """Its lines as commands; a console's are those after a prompt."""
        text = self.content.replace("\\\n", " ")
        if self.language == "console":
            return [line.removeprefix("$ ") for line in text.splitlines() if line.startswith("$ ")]
        return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]

    def hanging(self):
        """The commands that wait until a person ends them, although others follow: pasted together, the others never run."""
        return [command for command in self.commands()[:-1] if WAITS.match(command)]

    def smaller(self, command):
        for flag, value in self.flags.items():
            command = re.sub(rf"(?<=\s){re.escape(flag)} \S+", f"{flag} {value}", command)
        return command


def read_marker(block, text):
    kind, _, said = text.partition(":")
    said = said.strip()
    if kind == "not run" and said:
        block.not_run = said
    elif kind == "run with" and said:
        words = said.split()
        while words:
            word = words.pop(0)
            if re.fullmatch(r"\w+=.*", word):
                name, _, value = word.partition("=")
                block.environment[name] = value
            elif word.startswith("-") and words:
                block.flags[word] = words.pop(0)
            else:
                raise BadMarker(f"{block.where}: 'run with' wants flags with values, and NAME=VALUE: {text}")
    else:
        raise BadMarker(f"{block.where}: no such marker, or one without a reason: {text}")


def blocks(name, text):
    """All blocks of a page, in their order."""
    found = list(BLOCK.finditer(text))
    for block, after in zip(found, [*found[1:], None]):
        out = Block(f"{name}:{text.count(chr(10), 0, block.start()) + 1}", block[1], block[2])
        if shown := SHOWN_FILE.search(text, 0, block.start()):
            out.shows = shown[1]
        if after is not None and text[block.end():after.start()].strip() == "" and after[1] not in SHELL:
            out.output = after[2]
        if comment := COMMENT.search(text, 0, block.start()):
            read_marker(out, comment[1])
        yield out
