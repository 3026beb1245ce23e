#!/usr/bin/env python3
"""Makes the pictures of docs/pictures/ by the program itself.

usage: tools/pictures.py [--skald PROGRAM] [--model FILE] [NAME...]

NAME.png  a state of the web page of `skald serve` with the embedded model, in headless Chromium (tools/setup.sh
          --pictures): a function of picture_parts/page_states.py. Without names and --model, all
chat.svg  `skald chat` with the model FILE at a terminal, in the time that it took
"""
import argparse
import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests/cli"), str(ROOT / "tools")]
from picture_parts.page_states import STATES
from picture_parts.recording import record, svg

OUT = ROOT / "docs/pictures"
CHAT = ["/system Answer with one short Python function, without comments.", "Count the vowels of a text.", "Now the most frequent letter."]


def chat(skald, model):
    """Returns a recording of a chat, with the command line before it."""
    words = ["chat", "-m", model.name, "--render", "-s", "1"]
    line = (0, f"$ {' '.join(['skald', *words])}\r\n")
    return svg([line, *record([skald, *words], CHAT, model.parent)])


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--skald", type=Path, default=ROOT / "build/release/skald")
    parser.add_argument("names", nargs="*", metavar="NAME")
    wanted = parser.parse_args()
    if not os.access(wanted.skald, os.X_OK):
        parser.error(f"there is no program {wanted.skald}")
    if unknown := [name for name in wanted.names if name not in STATES]:
        parser.error(f"no state of the page is named {', '.join(unknown)}; there are {', '.join(STATES)}")
    return wanted


def main():
    wanted = arguments()
    skald = str(wanted.skald.absolute())
    if wanted.model:
        (OUT / "chat.svg").write_text(chat(skald, wanted.model.absolute()))
    for name in wanted.names or ([] if wanted.model else STATES):
        (OUT / f"{name}.png").write_bytes(STATES[name](skald))
        print(f"pictures: {name}.png")


if __name__ == "__main__":
    main()
