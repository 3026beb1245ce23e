"""docs/long-context.md has the tables that the script makes of the stored runs, and `losses` stores what the program measures."""
import importlib.util
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "bench/truth.py"
spec = importlib.util.spec_from_file_location("truth", SCRIPT)
truth = importlib.util.module_from_spec(spec)
spec.loader.exec_module(truth)
SKALD = sys.argv.pop(1)


def loss(nats, read):
    return {"tokens": 9, "divergence": nats, "divergence_error": 0.001, "ratio": 1.01, "same_top": 0.97, "sparq_read": read}


class Tables(unittest.TestCase):
    def made(self, *runs):
        with tempfile.TemporaryDirectory() as folder:
            for i, run in enumerate(runs):
                (Path(folder) / f"{i}.json").write_text(json.dumps(run))
            return truth.tables(Path(folder))

    def test_the_page_has_those_of_the_stored_runs(self):
        page = truth.PAGE.read_text()
        self.assertEqual(page, truth.written(page, truth.tables()), "docs/long-context.md is old: run bench/truth.py write")

    def test_have_a_line_for_each_length_and_flags_and_empty_cells_for_what_was_not_measured(self):
        made = self.made({"model": "m", "texts": {"x": {"8192": {"--sparq-loss auto": loss(0.0104, 0.125)}, "512": {"-ct small": loss(0.002, 1)}},
                                                  "y": {"8192": {"--sparq-loss auto": loss(0.02, 0.25)}}}})["losses"]
        self.assertEqual(made.strip().splitlines()[2:], ["| m | 512 | `-ct small` | 0.0020 | 1.010 | all |  |  |  |",
                                                         "| m | 8,192 | `--sparq-loss auto` | 0.0104 | 1.010 | 1/8.0 | 0.0200 | 1.010 | 1/4.0 |"])

    def test_answers_have_a_column_for_each_cache_and_attention_and_their_largest_error(self):
        rows = [{"suite": "needle", "length": 4096, "cache": cache, "attention": way, "cases": 4, "score": score}
                for cache, way, score in (("f16", "dense", 1), ("f16", "auto", 0.75), ("small", "dense", 0.5))]
        made = self.made({"model": "m", "rows": rows})["answers"].strip().splitlines()
        self.assertEqual(made[0], "| model | kind | tokens | cases | f16, dense | f16, auto | small, dense | error |")
        self.assertEqual(made[2], "| m | needle | 4,096 | 4 | 1.00 | 0.75 | 0.50 | 0.19 |")

    def test_a_page_without_a_place_for_them_is_told(self):
        with self.assertRaises(SystemExit):
            truth.written("no marks", {"losses": "\n"})


class Losses(unittest.TestCase):
    def test_are_stored_flags_by_flags_beside_those_of_before(self):
        with tempfile.TemporaryDirectory() as folder:
            text, run = Path(folder) / "text.txt", Path(folder) / "run.json"
            text.write_text("Once upon a time there was a little dog. " * 200)
            for flags in (["-ct q8_0"], ["-ctk q4_0", "--sparq --k1 4 --k2 64"]):
                subprocess.run([sys.executable, SCRIPT, "losses", SKALD, ROOT / "assets/skald-tiny.gguf", text, "-c", "512", "--references", folder, "--name", "small",
                                "--text-name", "dogs", "-o", run, "--", *flags], check=True, capture_output=True)
            rows = json.loads(run.read_text())["texts"]["dogs"]["512"]
        self.assertEqual(list(rows), ["-ct q8_0", "-ctk q4_0", "--sparq --k1 4 --k2 64"])
        self.assertEqual(rows["-ct q8_0"]["sparq_read"], 1)
        self.assertGreater(rows["-ctk q4_0"]["divergence"], rows["-ct q8_0"]["divergence"])


unittest.main()
