"""compare.py from outside, beside busy loops. Skald and its peer are small scripts here."""
import json
import subprocess
import sys
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

import support

SKALD = """#!/bin/sh
case $1 in
  --version) printf 'skald 1.2.3\\ncommit abcdef0+\\ncompiler GNU 12\\ntiers scalar (amx)\\n' ;;
  synth) while [ "$1" != -o ]; do shift; done; echo model >"$2" ;;
  bench) echo '[{"tokens_per_s": 30, "compute_share": 0.5, "bandwidth_share": 0.9}]' ;;
esac
"""
LLAMA_BENCH = """#!/bin/sh
echo '[{"build_commit": "abc", "avg_ts": 20}]'
"""


class Compare(unittest.TestCase):
    def setUp(self):
        folder = TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name, text in (("skald", SKALD), ("llama-bench", LLAMA_BENCH)):
            (self.folder / name).write_text(text)
            (self.folder / name).chmod(0o755)

    def compare(self, *args, of=("--shapes", "tiny", "--types", "q4_0")):
        command = [sys.executable, "-B", support.PEERS / "compare.py", "--skald", self.folder / "skald", "--work", self.folder / "work",
                   *of, "--tests", "decode", *args]
        return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=120)

    def test_compares_beside_each_number_of_loops(self):
        r = self.compare("--llama", self.folder, "--busy", "0,2", "--rounds", "2")
        self.assertEqual(r.returncode, 0, r.stderr)
        self.assertIn("| tiny | q4_0 | decode | 2 | 1.50 (1.50 to 1.50) |", r.stdout)
        self.assertEqual((self.folder / "work/peers.md").read_text() + "\n", r.stdout)
        results = json.loads((self.folder / "work/peers.json").read_text())
        self.assertEqual(results["versions"], {"Skald": "1.2.3 abcdef0+", "llama.cpp": "abc"})
        rows = results["rows"]
        self.assertEqual([(row["busy_loops"], row["round_ratios"]) for row in rows], [(n, {"llama.cpp": [1.5, 1.5]}) for n in (0, 2)])
        self.assertEqual(list((self.folder / "work").glob("*.gguf")), [])

    def test_compares_on_files_and_leaves_them(self):
        model = self.folder / "trained-q4_k_m.gguf"
        model.write_text("model")
        r = self.compare("--llama", self.folder, of=("--models", model))
        self.assertEqual(r.returncode, 0, r.stderr)
        rows = json.loads((self.folder / "work/peers.json").read_text())["rows"]
        self.assertEqual([(row["shape"], row["type"], row["ratio"]) for row in rows], [("trained-q4_k_m", "file", 1.5)])
        self.assertEqual(model.read_text(), "model")

    def test_runs_seven_rounds_beside_other_work_and_three_without(self):
        for args, rounds in ((("--busy", "1"), 7), ((), 3)):
            r = self.compare("--llama", self.folder / "llama-bench", *args)
            self.assertEqual(r.returncode, 0, r.stderr)
            self.assertEqual(json.loads((self.folder / "work/peers.json").read_text())["rounds"], rounds)

    def test_builds_no_source_folder(self):
        (self.folder / "source").mkdir()
        (self.folder / "source/CMakeLists.txt").touch()
        r = self.compare("--llama", self.folder / "source")
        self.assertEqual(r.returncode, 1)
        self.assertIn("source: neither llama-bench nor a folder where it was built", r.stderr)

    def test_refuses_what_makes_no_sense(self):
        for words in (("--busy", "-1"), ("--busy", "1,1"), ("--busy", ","), ("--busy", "many"), ("--rounds", "0"), ("--models", "none.gguf")):
            r = self.compare("--llama", "none", *words)
            self.assertEqual((r.returncode, r.stdout), (2, ""), words)
            self.assertIn(words[0], r.stderr)


unittest.main()
