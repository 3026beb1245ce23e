"""A terminal's screen over time: which text stood where, from when until when."""
import dataclasses
import re

COLUMNS = 98
PIECES = re.compile(r"\x1b\[([0-9;?]*)([A-Za-z])|([\r\n\b\a])|([^\x1b\r\n\b\a]+)")
STYLES = {"1": "bold", "2": "dim", "3": "italic", "36": "code"}


@dataclasses.dataclass
class Text:
    row: int
    column: int
    text: str
    style: str
    begin: float
    end: float | None  # None: it stays


class Screen:
    """Follows the codes that `skald chat` and libedit write; another one ends the recording with an error."""

    def __init__(self):
        self.cells = {}  # (row, column): (letter, style, begin) of those that are shown
        self.gone = []   # cells that were: (row, column, letter, style, begin, end)
        self.row = self.column = 0
        self.style = ""

    def write(self, when, text):
        at = 0
        while at < len(text):
            piece = PIECES.match(text, at)
            if not piece:
                raise ValueError(f"a terminal's code that is not known: {text[at:at + 12]!r}")
            at = piece.end()
            numbers, code, control, letters = piece.groups()
            if code:
                self._code(when, numbers, code)
            elif control:
                self._control(control)
            else:
                self._letters(when, letters)

    def texts(self):
        """Returns the texts of all times: cells beside each other with the same times are one."""
        left = [(*at, *cell, None) for at, cell in self.cells.items()]
        texts = []
        for row, column, letter, style, begin, end in sorted(self.gone + left, key=lambda c: (c[0], c[4], c[5] or 0, c[1])):
            last = texts[-1] if texts else None
            if last and (last.row, last.style, last.begin, last.end) == (row, style, begin, end) and last.column + len(last.text) == column:
                last.text += letter
            else:
                texts.append(Text(row, column, letter, style, begin, end))
        return [text for text in texts if text.text.strip()]

    def _letters(self, when, letters):
        for letter in letters:
            if self.column == COLUMNS:
                self.row, self.column = self.row + 1, 0
            self._put(when, self.column, letter)
            self.column += 1

    def _put(self, when, column, letter):
        """Shows a letter in a cell of the row; None: none."""
        old = self.cells.get((self.row, column))
        if old and old[:2] == (letter, self.style):
            return
        if old:
            self.gone.append((self.row, column, *self.cells.pop((self.row, column)), when))
        if letter is not None:
            self.cells[self.row, column] = (letter, self.style, when)

    def _control(self, control):
        if control == "\n":
            self.row += 1
        elif control == "\r":
            self.column = 0
        elif control == "\b":
            self.column = max(0, self.column - 1)

    def _code(self, when, numbers, code):
        count = int(numbers) if numbers.isdigit() else 1
        if code == "m":
            self.style = STYLES.get(numbers, "")
        elif code == "K" and numbers in ("", "0"):
            for column in range(self.column, COLUMNS):
                self._put(when, column, None)
        elif code == "C":
            self.column = min(COLUMNS, self.column + count)
        elif code == "D":
            self.column = max(0, self.column - count)
        elif not numbers.startswith("?"):  # modes change nothing that is seen
            raise ValueError(f"a terminal's code that is not known: ESC [ {numbers} {code}")
