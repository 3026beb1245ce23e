"""Recordings of chats at a terminal, as SVG that plays by itself, again and again."""
import fcntl
import html
import os
import pty
import random
import select
import struct
import sys
import tempfile
import termios
import time

from picture_parts.screen import COLUMNS, Screen

CELL_W, CELL_H, MARGIN = 8.4, 19, 14  # in pixels, for 14 px letters
READY = "\x1b[?2004h> "               # the chat waits for a line
PATIENCE = 120                        # seconds that an answer may take
PAUSE = 6                             # seconds at the end, before the recording begins again
STYLE = ("text{font:14px ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace;fill:#e8e4dc;white-space:pre}"
         ".dim{fill:#9a948a}.bold{font-weight:bold}.italic{font-style:italic}.code{fill:#7ccab0}.gone{opacity:0}"
         "@media(prefers-reduced-motion:reduce){text{animation:none!important}}")


class Terminal:
    """A program at a terminal of its own. `pieces`: (seconds, text) of all that it wrote."""

    def __init__(self, command, folder):
        self.pieces, self.begin = [], time.monotonic()
        self.state = tempfile.TemporaryDirectory()  # for a history of its own
        child, self.terminal = pty.fork()
        if child == 0:
            os.chdir(folder)
            os.environ |= {"TERM": "xterm-256color", "XDG_STATE_HOME": self.state.name}
            os.environ.pop("NO_COLOR", None)
            os.execv(command[0], command)
        self.child = child
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, COLUMNS, 0, 0))

    def wait(self, seconds):
        """Reads what is written for some seconds."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and select.select([self.terminal], [], [], left)[0]:
            self.pieces.append((time.monotonic() - self.begin, os.read(self.terminal, 1 << 16).decode()))

    def wait_for_line(self, number):
        """Reads until the chat waits for its line of this number."""
        end = time.monotonic() + PATIENCE
        while "".join(text for _, text in self.pieces).count(READY) < number:
            if time.monotonic() > end:
                sys.exit(f"pictures: the chat did not ask for line {number} in {PATIENCE} s: {self.pieces[-3:]}")
            self.wait(0.05)

    def type(self, line, hands):
        for letter in line + "\r":
            os.write(self.terminal, letter.encode())
            self.wait(hands.uniform(0.03, 0.09))

    def close(self):
        os.write(self.terminal, b"\x04")
        os.waitpid(self.child, 0)
        os.close(self.terminal)
        self.state.cleanup()


def record(command, lines, folder):
    """Returns (seconds, text) of a chat in which these lines are typed."""
    hands = random.Random(1)
    chat = Terminal(command, folder)
    chat.wait_for_line(1)
    for number, line in enumerate(lines, 2):
        chat.wait(1.2)
        chat.type(line, hands)
        chat.wait_for_line(number)
    pieces = list(chat.pieces)
    chat.close()
    return pieces


def svg(pieces):
    """Returns a recording as a picture."""
    screen = Screen()
    for when, text in pieces:
        screen.write(when, text)
    texts = screen.texts()
    length = pieces[-1][0] + PAUSE
    times = sorted({(text.begin, text.end) for text in texts}, key=lambda t: (t[0], t[1] or length))
    rules = "".join(f"@keyframes k{i}{{{keyframes(begin, end, length)}}}.k{i}{{animation:k{i} {length:.2f}s step-end infinite}}"
                    for i, (begin, end) in enumerate(times))
    names = {time: f"k{i}" for i, time in enumerate(times)}
    lines = [f'<text class="{" ".join(filter(None, (names[t.begin, t.end], t.style, t.end and "gone")))}"'
             f' x="{MARGIN + t.column * CELL_W:.1f}" y="{MARGIN + t.row * CELL_H + 14}">{html.escape(t.text, quote=False)}</text>'
             for t in texts]
    width, height = 2 * MARGIN + COLUMNS * CELL_W, 2 * MARGIN + (max(t.row for t in texts) + 1) * CELL_H
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" height="{height:.0f}">\n'
            f"<style>{STYLE}{rules}</style>\n"
            f'<rect width="100%" height="100%" rx="8" fill="#1b1a18"/>\n' + "\n".join(lines) + "\n</svg>\n")


def keyframes(begin, end, length):
    """Returns the keyframes of a text that is seen from `begin` to `end`."""
    share = lambda when: f"{100 * when / length:.2f}%"
    if end is None:
        return f"0%{{opacity:0}}{share(begin)},to{{opacity:1}}"
    return f"0%{{opacity:0}}{share(begin)}{{opacity:1}}{share(end)},to{{opacity:0}}"
