"""The order of runs, and what happens when one fails. Engines here are small shell commands."""
import contextlib
import io
import unittest
from pathlib import Path
from unittest import mock

import support  # noqa: F401
from peers import rounds
from peers.busy import LoopEnded
from peers.report import Results
from peers.workloads import chosen

TESTS = chosen(["prefill", "decode"], 1, [1])


class Engine:
    environment = {"SPEED": "7"}

    def __init__(self, name, script, able=True):
        self.name, self.script, self.able = name, script, able

    def can(self, workload):
        return self.able

    def command(self, model, workload):
        return ["sh", "-c", self.script]

    def read(self, output, messages, workload):
        return [(workload.title, float(output), None)]


class Rounds(unittest.TestCase):
    def measure(self, *engines, timeout=60, busy=(None,)):
        results = Results("a CPU", 1, False, 2)
        with contextlib.redirect_stderr(io.StringIO()):
            rounds.measure(engines, TESTS, busy, Path("m.gguf"), 2, timeout, results.collector("shape", "q8_0"))
        return results

    def test_alternate_and_turn_round(self):
        order = [(i, w.title, e) for i, _, w, e in rounds.turns(["a", "b"], TESTS, (None,), 2)]
        self.assertEqual(order, [(0, "prefill 512", "a"), (0, "prefill 512", "b"), (0, "decode", "a"), (0, "decode", "b"),
                                 (1, "prefill 512", "b"), (1, "prefill 512", "a"), (1, "decode", "b"), (1, "decode", "a")])

    def test_go_through_all_numbers_of_loops(self):
        order = [(i, n, e) for i, n, _, e in rounds.turns(["a", "b"], TESTS[:1], (0, 2), 2)]
        self.assertEqual(order, [(0, 0, "a"), (0, 0, "b"), (0, 2, "a"), (0, 2, "b"), (1, 0, "b"), (1, 0, "a"), (1, 2, "b"), (1, 2, "a")])

    def test_models_have_all_layers_or_as_many_as_the_shape_says(self):
        for shape, layers in (("llama-2-7b", "0"), ("llama-2-7b:8", "8")):
            self.assertEqual(rounds.synth_command("skald", shape, "q8_0", "f.gguf"),
                             ["skald", "synth", "--shape", "llama-2-7b", "--layers", layers, "--type", "q8_0", "-o", "f.gguf"])

    def test_collect_a_sample_each(self):
        results = self.measure(Engine("a", "echo $SPEED"), Engine("b", "echo 3"), Engine("c", "echo 5", able=False))
        self.assertEqual([row.samples for row in results.rows], [{"a": {0: 7, 1: 7}, "b": {0: 3, 1: 3}}] * 2)
        self.assertEqual(results.failures, [])

    def test_go_on_after_a_failure_and_say_why(self):
        for script, says in (("echo no memory >&2; exit 3", "exit code 3: no memory"), ("echo words", "words"), ("kill $$", "-15")):
            results = self.measure(Engine("bad", script), Engine("b", "echo 3"))
            self.assertEqual([row.samples for row in results.rows], [{"b": {0: 3, 1: 3}}] * 2)
            self.assertEqual(len(results.failures), 4)
            self.assertIn(says, results.failures[0])
            self.assertIn("round 1 of 2, m.gguf, prefill 512, bad", results.failures[0])

    def test_run_beside_as_many_loops_as_asked_for(self):
        begun = []

        @contextlib.contextmanager
        def loops(n):
            begun.append(n)
            yield
            if n == 3:
                raise LoopEnded("ended")

        with mock.patch.object(rounds, "loops", loops):
            results = self.measure(Engine("a", "echo 7"), busy=(0, 2, 3))
            self.measure(Engine("a", "echo 7"))
        self.assertEqual(begun, [0, 0, 2, 2, 3, 3] * 2 + [0] * 4)
        self.assertEqual([(row.test, row.busy) for row in results.rows], [(w.title, n) for n in (0, 2) for w in TESTS])
        self.assertEqual([failure.endswith("3 busy, a: ended") for failure in results.failures], [True] * 4)

    def test_end_runs_that_take_too_long(self):
        results = self.measure(Engine("slow", "exec sleep 30"), timeout=0.1)
        self.assertEqual(results.rows, [])
        self.assertIn("timed out", results.failures[0])


unittest.main()
