"""The chart is well-formed SVG whose bars are as long as the ratios say."""
import unittest
from xml.etree import ElementTree

import support  # noqa: F401
from peers import chart, report

SVG = "{http://www.w3.org/2000/svg}"


def results_of(*rows):
    results = report.Results("A <CPU> & more", 2, False, 1)
    for test, speeds in rows:
        for engine, speed in speeds.items():
            results.collector("tinyllama", "q8_0").add(0, None, test, engine, speed, None)
    return results


class Chart(unittest.TestCase):
    def draw(self, *rows):
        root = ElementTree.fromstring(chart.draw(results_of(*rows)))
        bars = [r for r in root.iter(SVG + "rect") if r.get("height") == str(chart.BAR - 2)]
        return root, bars, [t.text for t in root.iter(SVG + "text")]

    def test_bars_are_relative_to_the_fastest_peer(self):
        root, bars, texts = self.draw(("prefill 512", {"Skald": 300, "llama.cpp": 100, "ik": 50}))
        widths = [float(bar.get("width")) for bar in bars]
        self.assertAlmostEqual(widths[0] / widths[1], 3, places=2)
        self.assertAlmostEqual(widths[2] / widths[1], 0.5, places=2)
        line = next(root.iter(SVG + "line"))
        self.assertAlmostEqual(float(line.get("x1")) - chart.LEFT, widths[1], places=0)
        for text in ("tinyllama q8_0, prefill 512", "3.00  (300/s)", "1.00  (100/s)", "0.50  (50.00/s)", "Skald", "ik"):
            self.assertIn(text, texts)

    def test_everything_lies_on_the_page(self):
        root, bars, _ = self.draw(("a", {"Skald": 1, "p": 100}), ("b", {"Skald": 7000, "p": 1}), ("c", {"p": 1}))
        width, height = float(root.get("width")), float(root.get("height"))
        for bar in bars:
            self.assertLessEqual(float(bar.get("x")) + float(bar.get("width")) + chart.ROOM, width + 0.1)
            self.assertLess(float(bar.get("y")) + chart.BAR, height)

    def test_texts_are_escaped_and_each_engine_has_a_colour(self):
        _, bars, texts = self.draw(("a", {"Skald": 2, "p": 1, "q": 1}))
        self.assertTrue(any("A <CPU> & more" in text for text in texts))
        self.assertEqual(len({bar.get("fill") for bar in bars}), 3)

    def test_rows_without_a_peer_are_left_out(self):
        self.assertEqual(self.draw(("a", {"Skald": 2}))[1], [])
        self.assertEqual(self.draw()[1], [])


unittest.main()
