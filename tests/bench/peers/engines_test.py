"""Command lines, and reading what engines print."""
import json
import unittest
from pathlib import Path
from tempfile import TemporaryDirectory

import support  # noqa: F401
from peers.engines import LlamaBench, Skald
from peers.workloads import chosen

PREFILL, DECODE, DEEP, BATCH = chosen(["prefill", "decode", "deep", "batch"], 8192, [1, 4])
BATCHED = """\
main: n_kv_max = 192, n_batch = 2048

|    PP |     TG |    B |   N_KV |   T_PP s | S_PP t/s |   T_TG s | S_TG t/s |      T s |    S t/s |
|-------|--------|------|--------|----------|----------|----------|----------|----------|----------|
|    16 |     32 |    1 |     48 |    0.100 |   160.00 |    1.600 |    20.00 |    1.700 |    28.24 |
|    16 |     32 |    4 |    192 |    0.400 |   160.00 |    2.000 |    64.50 |    2.400 |    80.00 |
"""


def pairs(command):
    return list(zip(command, command[1:]))


class OfSkald(unittest.TestCase):
    def setUp(self):
        self.engine = Skald("bin/skald", 2, avx2=False)

    def test_commands_name_model_threads_and_test(self):
        command = pairs(self.engine.command("m.gguf", DEEP))
        for flag in (("-m", "m.gguf"), ("-t", "2"), ("-p", "0"), ("-n", "16"), ("-d", "8192"), ("-B", "1"), ("-o", "json")):
            self.assertIn(flag, command)
        self.assertIn(("-B", "1,4"), pairs(self.engine.command("m.gguf", BATCH)))

    def test_avx2_is_asked_for_by_environment(self):
        self.assertEqual(self.engine.environment, {})
        self.assertEqual(Skald("skald", 2, avx2=True).environment, {"SKALD_ISA": "avx2"})

    def test_results_come_with_the_share_that_matters(self):
        row = {"tokens_per_s": 10.5, "compute_share": 0.5, "bandwidth_share": 0.9}
        self.assertEqual(self.engine.read(json.dumps([row]), "", PREFILL), [("prefill 512", 10.5, 0.5)])
        self.assertEqual(self.engine.read(json.dumps([row]), "", DECODE), [("decode", 10.5, 0.9)])
        both = self.engine.read(json.dumps([row, {**row, "tokens_per_s": 30}]), "", BATCH)
        self.assertEqual([(t, s) for t, s, _ in both], [("decode, batch 1", 10.5), ("decode, batch 4", 30)])

    def test_results_that_are_missing_are_an_error(self):
        for output in ("", "[]", "nonsense"):
            with self.assertRaises(ValueError):
                self.engine.read(output, "", DECODE)


class OfLlamaBench(unittest.TestCase):
    def setUp(self):
        self.engine = LlamaBench("llama.cpp", "bin/llama-bench", 2)

    def test_commands_ask_for_flash_attention_and_the_depth(self):
        command = pairs(self.engine.command("m.gguf", DEEP))
        for flag in (("-m", "m.gguf"), ("-t", "2"), ("-fa", "1"), ("-d", "8192"), ("-p", "0"), ("-n", "16")):
            self.assertIn(flag, command)
        self.assertNotIn("-d", self.engine.command("m.gguf", PREFILL))

    def test_ik_has_its_own_way_to_a_depth(self):
        command = LlamaBench("ik", "llama-bench", 2, ik=True).command("m.gguf", DEEP)
        self.assertIn(("-gp", "8192,16"), pairs(command))
        self.assertIn(("-n", "0"), pairs(command))
        self.assertNotIn("-d", command)

    def test_ik_repacks_weights_when_asked_to(self):
        self.assertIn(("-rtr", "1"), pairs(LlamaBench("ik", "llama-bench", 2, ik=True).command("m.gguf", PREFILL)))
        self.assertNotIn("-rtr", self.engine.command("m.gguf", PREFILL))

    def test_several_sequences_are_for_the_other_program_where_it_is_there(self):
        with TemporaryDirectory() as folder:
            engine = LlamaBench("llama.cpp", Path(folder) / "llama-bench", 2)
            self.assertFalse(engine.can(BATCH))
            self.assertTrue(engine.can(DECODE))
            (Path(folder) / "llama-batched-bench").touch()
            self.assertTrue(engine.can(BATCH))
            command = engine.command("m.gguf", BATCH)
            self.assertEqual(command[0], str(Path(folder) / "llama-batched-bench"))
            for flag in (("-c", "192"), ("-npp", "16"), ("-ntg", "32"), ("-npl", "1,4"), ("-fa", "on")):
                self.assertIn(flag, pairs(command))

    def test_results_are_found_among_messages(self):
        output = 'warning: slow\n[\n {"build_commit": "abc123", "avg_ts": 12.5}\n]\n'
        self.assertEqual(self.engine.read(output, "more [messages]", DECODE), [("decode", 12.5, None)])
        self.assertEqual(self.engine.version, "abc123")

    def test_a_version_that_is_known_stays(self):
        engine = LlamaBench("llama.cpp", "llama-bench", 2, version="package 1.2")
        engine.read('[{"build_commit": "abc123", "avg_ts": 1}]', "", DECODE)
        self.assertEqual(engine.version, "package 1.2")
        self.engine.read('[{"build_commit": "unknown", "avg_ts": 1}]', "", DECODE)
        self.assertEqual(self.engine.version, "")

    def test_speeds_of_several_sequences_are_read_from_the_table(self):
        want = [("decode, batch 1", 20.0, None), ("decode, batch 4", 64.5, None)]
        self.assertEqual(self.engine.read(BATCHED, "", BATCH), want)
        self.assertEqual(self.engine.read("", BATCHED, BATCH), want, "some versions write it to stderr")

    def test_results_that_are_missing_are_an_error(self):
        for output in ("", "[]", "[]\n[", "no json"):
            with self.assertRaises(ValueError):
                self.engine.read(output, "", DECODE)
        with self.assertRaisesRegex(ValueError, r"\[1\]"):
            self.engine.read("\n".join(BATCHED.splitlines()[:-1]), "", BATCH)


unittest.main()
