"""The screen of recordings for documents: which text stood where, from when until when.

usage: screen_test.py
"""
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools")]
from picture_parts.recording import svg
from picture_parts.screen import COLUMNS, Screen


def shown(*pieces):
    screen = Screen()
    for when, text in pieces:
        screen.write(when, text)
    return [(t.row, t.column, t.text, t.style, t.begin, t.end) for t in screen.texts()]


class ScreenTest(unittest.TestCase):
    def test_texts_stay_where_they_were_written(self):
        self.assertEqual(shown((0, "> "), (1, "a"), (2, "b\r\n"), (3, "\x1b[2mdim\x1b[0m it")),
                         [(0, 0, "> ", "", 0, None), (0, 2, "a", "", 1, None), (0, 3, "b", "", 2, None),
                          (1, 0, "dim", "dim", 3, None), (1, 3, " it", "", 3, None)])

    def test_what_is_erased_or_written_over_ends(self):
        self.assertEqual(shown((0, "50 %"), (1, "\r60 %"), (2, "\r\x1b[K"), (3, "ready")),
                         [(0, 0, "5", "", 0, 1), (0, 1, "0 %", "", 0, 2), (0, 0, "6", "", 1, 2), (0, 0, "ready", "", 3, None)])

    def test_a_letter_that_is_taken_back_ends(self):
        self.assertEqual(shown((0, "ab"), (1, "\b\x1b[K")), [(0, 0, "a", "", 0, None), (0, 1, "b", "", 0, 1)])

    def test_long_lines_go_on_in_the_next_row(self):
        self.assertEqual([(row, column, len(text)) for row, column, text, *_ in shown((0, "x" * (COLUMNS + 3)))], [(0, 0, COLUMNS), (1, 0, 3)])

    def test_a_code_that_is_not_known_is_named(self):
        for code in ("\x1b[2J", "\x1bM"):
            with self.assertRaisesRegex(ValueError, "not known"):
                shown((0, code))

    def test_a_recording_is_a_picture_of_all_its_texts(self):
        picture = svg([(0, "a <b>"), (1, "\r\x1b[K")])
        self.assertIn(">a &lt;b&gt;</text>", picture)
        self.assertRegex(picture, r"@keyframes k0\{0%\{opacity:0\}0\.00%\{opacity:1\}14\.29%,to\{opacity:0\}\}")


if __name__ == "__main__":
    unittest.main()
