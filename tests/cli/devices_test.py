"""skald devices, --device and what splits a model between devices."""
import collections
import json
import re
import tempfile
import unittest
from pathlib import Path

import support

MODEL = support.DATA / "golden/llama_mha/model.gguf"
GO = ("run", "-m", MODEL, "--prompt-ids", "1,2,3,4,5", "-n", "8", "--temp", "0", "--print-ids", "--ignore-eos")


def devices():
    return json.loads(support.skald("devices", "-o", "json").stdout)


CARDS = [d for d in devices() if d["device"].startswith("cuda")]  # one that is missing among them


class Devices(support.CliTest):
    def test_lists_the_cpu_first_and_the_one_for_tests_last(self):
        rows = devices()
        self.assertEqual(rows[0]["device"], "cpu")
        self.assertEqual(rows[-1]["device"], "simt")
        for row in rows:
            if "missing" not in row:
                self.assertGreater(row["bytes"], row["free_bytes"])
        self.assertIn(b"| simt ", self.ok("devices"))

    def test_the_host_as_a_gpu_writes_what_the_cpu_writes(self):
        want = self.ok(*GO)
        self.assertEqual(self.ok(*GO, "--device", "simt"), want)
        self.assertEqual(self.ok(*GO, SKALD_DEVICE="simt"), want)
        self.assertEqual(self.ok(*GO, "-dev", "none"), want)
        for layers in ("0", "1", "2", "3", "all"):
            self.assertEqual(self.ok(*GO, "--device", "simt", "-ngl", layers), want, layers)
        self.assertEqual(self.ok(*GO, "--device", "simt", "-ot", r"ffn_down=CPU,\.1\.attn=CPU"), want)

    def test_says_what_went_where(self):
        log = support.skald(*GO, "--device", "simt", "-ngl", "2", SKALD_LOG="info").stderr.decode()
        self.assertRegex(log, r"\d+ operations with \d+ MiB of weights; simt: \d+ operations with")

    def test_draws_where_operations_are(self):
        with tempfile.TemporaryDirectory() as folder:
            drawing = Path(folder) / "graph.dot"
            self.ok("graph", "-m", MODEL, "--device", "simt", "-ngl", "2", "-o", drawing)
            text = drawing.read_text()
            told = [int(n) for n in re.findall(r"(\d+) on ", text.split("operations: ")[1].split('"')[0])]
            self.assertEqual(len(told), 2)
            self.assertEqual(sorted(collections.Counter(re.findall(r' color="(#\w+)" penwidth', text)).values()), sorted(told))
            self.ok("graph", "-m", MODEL, "-o", drawing)
            self.assertNotIn("penwidth", drawing.read_text())

    def test_refuses_what_is_not_there_by_name(self):
        for args, said in ((["--device", "gpu"], "unknown device 'gpu'; known: cpu"), (["--device", "simt0"], "unknown device 'simt0'"), (["--device", "simt", "-ot", "a=GPU"], "want REGEX=CPU or REGEX=simt"),
                           (["-ngl", "many"], "want auto, all or a number, got 'many'")):
            r = support.skald(*GO, *args)
            self.assertNotEqual(r.returncode, 0, args)
            self.assertIn(said, r.stderr.decode(), args)

    @unittest.skipUnless(CARDS, "this program was built without the device cuda")
    @unittest.skipUnless("missing" in (CARDS or [{}])[0], "a card is there")
    def test_says_why_there_is_no_card(self):
        why = CARDS[0]["missing"]
        self.assertRegex(why, "NVIDIA driver|compute capability")
        self.assertIn(why.encode(), self.ok("devices"))
        for name in ("cuda", "cuda0", "CUDA0", "cuda7"):
            r = support.skald(*GO, "--device", name)
            self.assertNotEqual(r.returncode, 0, name)
            self.assertIn(f"device {name}: {why}", r.stderr.decode())
        r = support.skald(*GO, "-ngl", "all")
        self.assertEqual(r.stdout, self.ok(*GO))
        self.assertIn(why, r.stderr.decode())

    @unittest.skipUnless(CARDS and "missing" not in CARDS[0], "no card")
    def test_a_card_writes_what_the_cpu_writes(self):
        want = self.ok(*GO)
        for args in (["--device", "cuda"], ["--device", "CUDA0"], ["-ngl", "all"], ["-ngl", "2"]):
            self.assertEqual(self.ok(*GO, *args), want, args)
        r = support.skald(*GO, "--device", f"cuda{len(CARDS)}")
        self.assertIn(f"the last one of this machine is cuda{len(CARDS) - 1}", r.stderr.decode())

    @unittest.skipIf(CARDS and "missing" not in CARDS[0], "a card is there")
    def test_without_a_gpu_copied_commands_run_on_the_cpu(self):
        want = self.ok(*GO)
        r = support.skald(*GO, "-ngl", "99", "-cmoe", "-ot", "exps=CPU")
        self.assertEqual(r.stdout, want)
        self.assertIn("-ngl 99: there is no GPU device here", r.stderr.decode())


support.main()
