#!/usr/bin/env python3
"""Makes the pictures of docs/pictures/ by the program itself, with its embedded model.

usage: tools/pictures.py [SKALD]

page.png   the web page of `skald serve` after an answer, in headless Chromium (tools/setup.sh --pictures)
story.svg  the text that `skald run` writes on a terminal, SLOWER times as slow as it came
"""
import contextlib
import html
import os
import pty
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/cli"))
from browser import Browser  # of the tests

OUT = ROOT / "docs/pictures"
PROMPT = "Once upon a time there was a small boat"
SEED = "4"

COLUMNS, CELL_W, CELL_H, MARGIN = 84, 8.4, 19, 14  # of the terminal; in pixels for 14 px letters
SLOWER = 100  # the embedded model writes more than a thousand tokens a second
PAUSE = 4     # seconds at the end, before the recording begins again
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@contextlib.contextmanager
def running(*command):
    """A program that ends with the block."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            yield process
        finally:
            process.terminate()


def line_with(process, pattern):
    """The first group of the pattern in what the program prints."""
    for line in process.stdout:
        if found := re.search(pattern, line):
            return found[1]
    sys.exit(f"pictures: {process.args[0]} ended before it printed {pattern}")


def page(skald):
    """The bytes of a picture of the page after an answer."""
    with running(skald, "serve", "--port", "0", "-n", "120", "-s", SEED) as server, Browser() as browser:
        browser.size(1000, 617)
        browser.go(line_with(server, r"listening on (\S+)"))
        browser.keys("prompt", PROMPT + "\ue007")
        browser.until("return document.querySelector('[data-role=assistant][data-streaming=false] [data-testid=message-text]')?.innerText.length > 0")
        browser.run("document.activeElement.blur()")
        return browser.picture()


def record(command):
    """(seconds, text) of each piece that the command writes on a terminal."""
    pieces, begin = [], time.monotonic()

    def read(descriptor):
        data = os.read(descriptor, 4096)
        pieces.append((time.monotonic() - begin, data))
        return data

    if code := os.waitstatus_to_exitcode(pty.spawn(command, read)):
        sys.exit(f"pictures: {' '.join(command)}: exit code {code}")
    return [(SLOWER * when, ESCAPES.sub("", data.decode())) for when, data in pieces]


def cells(pieces):
    """(seconds, row, column, text) of each piece of a line, wrapped as the terminal wraps it."""
    row = column = 0
    for when, text in pieces:
        for part in re.findall(r"\r\n|\n|\r|[^\r\n]+", text):
            if part == "\r":
                column = 0
            elif part in ("\n", "\r\n"):
                row, column = row + 1, 0
            else:
                while part:
                    yield when, row, column, part[:COLUMNS - column]
                    part, column = part[COLUMNS - column:], column + len(part)
                    if column >= COLUMNS:
                        row, column = row + 1, 0


def svg(shown):
    """A recording as a picture that plays by itself, again and again."""
    length = shown[-1][0] + PAUSE
    width, height = 2 * MARGIN + COLUMNS * CELL_W, 2 * MARGIN + (max(row for _, row, _, _ in shown) + 1) * CELL_H
    rules, texts = [], []
    for i, (when, row, column, text) in enumerate(shown):
        rules.append(f"@keyframes k{i}{{0%{{opacity:0}}{100 * when / length:.2f}%,to{{opacity:1}}}}#t{i}{{animation-name:k{i}}}")
        texts.append(f'<text id="t{i}" x="{MARGIN + column * CELL_W:.1f}" y="{MARGIN + row * CELL_H + 14}">{html.escape(text)}</text>')
    style = ("text{font:14px monospace;fill:#e8e4dc;white-space:pre;animation-duration:" + f"{length:.2f}s" +
             ";animation-iteration-count:infinite;animation-timing-function:step-end}@media(prefers-reduced-motion:reduce){text{animation:none}}")
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}">\n'
            f"<style>{style}{''.join(rules)}</style>\n"
            f'<rect width="100%" height="100%" rx="8" fill="#1b1a18"/>\n' + "\n".join(texts) + "\n</svg>\n")


def story(skald):
    """A recording of a story, with the command line before it."""
    flags = ["run", "-p", PROMPT, "-n", "120", "-s", SEED]
    line = " ".join(f'"{word}"' if " " in word else word for word in ["skald", *flags])
    return svg(list(cells([(0, f"$ {line}\r\n"), *record([skald, *flags])])))


def main():
    skald = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "build/release/skald")
    if len(sys.argv) > 2 or not os.access(skald, os.X_OK):
        sys.exit(f"pictures: want the program, got {' '.join(sys.argv[1:]) or skald}; usage: tools/pictures.py [SKALD]")
    OUT.mkdir(exist_ok=True)
    (OUT / "story.svg").write_text(story(skald))
    (OUT / "page.png").write_bytes(page(skald))


if __name__ == "__main__":
    main()
