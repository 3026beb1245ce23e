"""Medians, ratios, the table and JSON."""
import json
import unittest

import support  # noqa: F401
from peers import report


def made_up():
    results = report.Results("A CPU", 2, False, 3)
    collector = results.collector("tinyllama", "q8_0")
    for i, (skald, llama, ik) in enumerate(((300, 100, 50), (200, 120, 50), (900, 90, 55))):
        collector.add(i, None, "prefill 512", "Skald", skald, skald / 1000)
        collector.add(i, None, "prefill 512", "llama.cpp", llama, None)
        collector.add(i, None, "prefill 512", "ik", ik, None)
    collector.add(0, None, "decode", "Skald", 12.345, 0.9)
    results.collector("tinyllama", "f16").add(0, None, "decode", "llama.cpp", 5, None)
    results.versions = {"Skald": "1.0", "llama.cpp": "", "ik": "abc"}
    return results


class Report(unittest.TestCase):
    def test_medians_are_over_rounds_and_the_ratio_is_to_the_faster_peer(self):
        row = made_up().rows[0]
        self.assertEqual([row.median(e) for e in ("Skald", "llama.cpp", "ik", "absent")], [300, 100, 50, None])
        self.assertEqual((row.faster_peer(), row.ratio(), row.share()), ("llama.cpp", 3, 0.3))

    def test_without_a_peer_or_skald_there_is_no_ratio(self):
        _, alone, peer = made_up().rows
        self.assertEqual((alone.faster_peer(), alone.ratio()), (None, None))
        self.assertEqual((peer.faster_peer(), peer.ratio(), peer.share()), ("llama.cpp", None, None))

    def test_the_table_has_a_column_for_each_engine(self):
        lines = report.to_markdown(made_up()).splitlines()
        self.assertEqual(lines[0], "| shape | type | test | Skald | llama.cpp | ik | of the limit | ratio |")
        self.assertEqual(lines[2], "| tinyllama | q8_0 | prefill 512 | 300 | 100 | 50.00 | 30 % | 3.00 |")
        self.assertEqual(lines[3], "| tinyllama | q8_0 | decode | 12.35 | - | - | 90 % | - |")
        self.assertIn("A CPU, 2 threads; medians of 3 rounds, Skald 1.0, ik abc", lines[6])

    def test_windows_and_failures_are_said(self):
        results = made_up()
        self.assertNotIn("window", report.to_markdown(results))
        results.collector("mistral-7b:8", "q8_0").add(0, None, "decode", "Skald", 1, 1)
        results.failures.append("round 1: no memory")
        text = report.to_markdown(results)
        self.assertIn("mistral-7b: Skald reads the last 4096", text)
        self.assertIn("Failed: round 1: no memory\n", text)

    def test_json_has_all_samples(self):
        out = json.loads(report.to_json(made_up()))
        self.assertEqual((out["machine"], out["threads"], out["rounds"], out["avx2_only"]), ("A CPU", 2, 3, False))
        row = out["rows"][0]
        self.assertEqual(row["engines"]["Skald"], {"tokens_per_s": 300, "samples": [300, 200, 900]})
        self.assertEqual((row["ratio"], row["faster_peer"], row["share_of_limit"]), (3, "llama.cpp", 0.3))
        self.assertIsNone(out["rows"][1]["ratio"])

    def test_busy_loops_have_a_table_of_round_ratios(self):
        self.assertNotIn("busy", report.to_markdown(made_up()) + report.to_json(made_up()))
        results = report.Results("A CPU", 2, False, 3)
        collector = results.collector("tinyllama", "q4_0")
        for i, busy, engine, speed in ((0, 1, "Skald", 30), (0, 1, "p", 10), (1, 1, "Skald", 10), (2, 1, "Skald", 8), (2, 1, "p", 8), (0, 0, "p", 9),
                                       (1, 0, "Skald", 7)):
            collector.add(i, busy, "decode", engine, speed, None)
        text = report.to_markdown(results)
        for line in ("| tinyllama | q4_0 | decode, 1 busy | 10.00 | 9.00 | - | 1.11 |", "| shape | type | test | busy loops | Skald / p |",
                     "| tinyllama | q4_0 | decode | 1 | 2.00 (1.00 to 3.00) |", "| tinyllama | q4_0 | decode | 0 | - |"):
            self.assertIn(line, text.splitlines())
        row = json.loads(report.to_json(results))["rows"][0]
        self.assertEqual((row["busy_loops"], row["round_ratios"], row["engines"]["Skald"]["samples"]), (1, {"p": [3, 1]}, [30, 10, 8]))

    def test_nothing_measured_is_a_table_of_nothing(self):
        results = report.Results("A CPU", 2, True, 1)
        self.assertIn("AVX2 only", report.to_markdown(results))
        self.assertEqual(json.loads(report.to_json(results))["rows"], [])


unittest.main()
