"""docs/performance.md and its appendix are what the script makes of the stored runs, and the script shows what a run says."""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "bench/performance_page.py"
PAGES = "performance.md", "performance-older.md"
RUN = {"question": "weights", "machine": "Zen 9", "date": "2030-01-02", "about": "Two cores.",
       "engines": [{"model": "m", "type": "q8_0", "test": "decoding", "skald": "20 to 22", "others": {"a": "9.5", "b": "10 to 11"}, "ratio": "2", "limit": "90 %"}],
       "commands": ["skald bench"], "notes": ["A note."]}
SHARES = {"question": "models-limit", "machine": "Zen 8", "date": "2030-01-02", "columns": ["shape", "share"], "rows": [["x", "74 %"]]}


class Page(unittest.TestCase):
    def made(self, *runs, older=()):
        """What the script says, and both pages."""
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            (folder / "older").mkdir()
            for where, these in ((folder, runs), (folder / "older", older)):
                for i, run in enumerate(these):
                    (where / f"{i}.json").write_text(json.dumps(run))
            done = subprocess.run([sys.executable, SCRIPT, folder, folder], capture_output=True, text=True, check=False)
            return done, *((folder / page).read_text() if done.returncode == 0 else "" for page in PAGES)

    def test_is_what_the_script_makes(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, SCRIPT, ROOT / "bench/runs", folder], check=True)
            for page in PAGES:
                self.assertEqual((ROOT / "docs" / page).read_text(), (Path(folder) / page).read_text(), f"docs/{page} is old: run make docs")

    def test_shows_all_that_a_run_says(self):
        _, newest, older = self.made(RUN, SHARES, older=(RUN, SHARES))
        for page in newest, older:
            self.assertIn("| Zen 9 | m | q8_0 | decoding | 20 to 22 | 10 to 11 (b) | 2 | 90 % |\n", page)
            self.assertIn("| machine | shape | share |\n", page)
            for text in ("### Zen 9, 2030-01-02\n", "Two cores.\n", "```sh\nskald bench\n```\n", "| Zen 8 | x | 74 % |\n", "- A note.\n"):
                self.assertIn(text, page)

    def test_has_one_table_a_question_with_the_newest_run_first(self):
        old = {**SHARES, "machine": "Zen 7", "date": "2029-12-31"}
        new = {**SHARES, "machine": "Zen 6", "date": "2030-02-01"}
        _, _, page = self.made(older=(old, SHARES, new))
        self.assertIn("| Zen 6 | x | 74 % |\n| Zen 8 | x | 74 % |\n| Zen 7 | x | 74 % |\n", page)
        self.assertEqual(page.count("| machine | shape | share |"), 1)

    def test_begins_with_the_newest_tables_and_folds_what_stands_beside_them(self):
        _, page, _ = self.made(RUN, older=(SHARES,))
        self.assertTrue(page.startswith("# Performance\n\n## How fast are prompts and decoding, beside other engines?\n\n| machine |"), page[:120])
        self.assertLess(page.index("| Zen 9 |"), page.index("<details markdown>"))
        self.assertLess(page.index("- A note."), page.index("</details>"))
        self.assertNotIn("Zen 8", page)

    def test_tells_the_least_and_the_most_of_other_machines(self):
        engine = RUN["engines"][0]
        runs = [{**RUN, "engines": [{**engine, "ratio": ratio}, {**engine, "type": "f16", "ratio": "9"}, {**engine, "test": "other", "ratio": "8"}]}
                for ratio in ("0.86 (disturbed); 7", "1.2 to 1.5")]
        _, page, _ = self.made(older=runs)
        self.assertIn("| [decoding, quantised weights](performance-older.md#how-fast-are-prompts-and-decoding-beside-other-engines) | 0.86 to 1.5 |\n"
                      "| [decoding, f16 weights](performance-older.md#how-fast-are-prompts-and-decoding-beside-other-engines) | 9 |\n\n", page)

    def test_refuses_tables_of_different_columns(self):
        r, *_ = self.made(SHARES, {**SHARES, "columns": ["share", "shape"]})
        self.assertNotEqual(r.returncode, 0)
        self.assertIn("the runs of models-limit have tables of different columns", r.stderr)

    def test_has_a_table_for_each_set_of_columns_in_the_appendix(self):
        _, _, page = self.made(older=(SHARES, {**SHARES, "columns": ["share", "shape"], "rows": [["70 %", "y"]]}))
        self.assertIn("| Zen 8 | x | 74 % |\n\n| machine | share | shape |\n", page)
        self.assertIn("| Zen 8 | 70 % | y |\n", page)

    def test_refuses_a_question_that_it_does_not_know(self):
        r, *_ = self.made({**RUN, "question": "how"})
        self.assertNotEqual(r.returncode, 0)
        self.assertIn("no such question: how", r.stderr)


unittest.main()
