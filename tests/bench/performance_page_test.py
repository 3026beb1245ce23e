"""docs/performance.md is what the script makes of the stored runs, and the script shows what a run says."""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "bench/performance_page.py"
RUN = {"question": "weights", "machine": "Zen 9", "date": "2030-01-02", "about": "Two cores.",
       "engines": [{"model": "m", "type": "q8_0", "test": "decoding", "skald": "20 to 22", "others": {"a": "9.5", "b": "10 to 11"}, "ratio": "2", "limit": "90 %"}],
       "commands": ["skald bench"], "notes": ["A note."]}
SHARES = {"question": "models-limit", "machine": "Zen 8", "date": "2030-01-02", "columns": ["shape", "share"], "rows": [["x", "74 %"]]}


class Page(unittest.TestCase):
    def made(self, *runs):
        with tempfile.TemporaryDirectory() as folder:
            for i, run in enumerate(runs):
                (Path(folder) / f"{i}.json").write_text(json.dumps(run))
            return subprocess.run([sys.executable, SCRIPT, folder], capture_output=True, text=True, check=False)

    def test_is_what_the_script_makes(self):
        made = subprocess.run([sys.executable, SCRIPT], capture_output=True, text=True, check=True).stdout
        self.assertEqual((ROOT / "docs/performance.md").read_text(), made, "docs/performance.md is old: run make docs")

    def test_shows_all_that_a_run_says(self):
        page = self.made(RUN, SHARES).stdout
        self.assertIn("| Zen 9 | m | q8_0 | decoding | 20 to 22 | 10 to 11 (b) | 2 | 90 % |\n", page)
        self.assertIn("| machine | shape | share |\n", page)
        for text in ("### Zen 9, 2030-01-02\n", "Two cores.\n", "```sh\nskald bench\n```\n", "| Zen 8 | x | 74 % |\n", "- A note.\n"):
            self.assertIn(text, page)

    def test_has_one_table_a_question_with_the_newest_run_first(self):
        old = {**SHARES, "machine": "Zen 7", "date": "2029-12-31"}
        new = {**SHARES, "machine": "Zen 6", "date": "2030-02-01"}
        page = self.made(old, SHARES, new).stdout
        self.assertIn("| Zen 6 | x | 74 % |\n| Zen 8 | x | 74 % |\n| Zen 7 | x | 74 % |\n", page)
        self.assertEqual(page.count("| machine | shape | share |"), 1)

    def test_begins_with_the_least_and_the_most_of_all_machines(self):
        engine = RUN["engines"][0]
        runs = [{**RUN, "engines": [{**engine, "ratio": ratio}, {**engine, "type": "f16", "ratio": "9"}, {**engine, "test": "other", "ratio": "8"}]}
                for ratio in ("0.86 (disturbed); 7", "1.2 to 1.5")]
        page = self.made(*runs).stdout
        self.assertTrue(page.startswith("# Performance\n\n| speed of | times |\n"), page[:80])
        self.assertIn("| [decoding, quantised weights](#how-fast-are-prompts-and-decoding-beside-other-engines) | 0.86 to 1.5 |\n"
                      "| [decoding, f16 weights](#how-fast-are-prompts-and-decoding-beside-other-engines) | 9 |\n\n", page)

    def test_refuses_tables_of_different_columns(self):
        r = self.made(SHARES, {**SHARES, "columns": ["share", "shape"]})
        self.assertNotEqual(r.returncode, 0)
        self.assertIn("the runs of models-limit have tables of different columns", r.stderr)

    def test_refuses_a_question_that_it_does_not_know(self):
        r = self.made({**RUN, "question": "how"})
        self.assertNotEqual(r.returncode, 0)
        self.assertIn("no such question: how", r.stderr)


unittest.main()
