"""skald sample, the sampling flags of skald run, and defaults of the model's file, as users see them."""
import json
import math
import struct

import support

STORY = ("run", "-p", "Once upon a time", "-n", "12", "-t", "1", "--no-perf", "--print-ids")


class Sample(support.CliTest):
    def npy(self, *rows, dtype="<f4"):
        """A file of one row [vocabulary], or of several [steps, vocabulary]."""
        shape = f"({len(rows[0])},)" if len(rows) == 1 else f"({len(rows)}, {len(rows[0])})"
        header = f"{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}".ljust(117) + "\n"
        path = self.new_folder() / "logits.npy"
        path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
                         + b"".join(struct.pack(f"<{len(r)}f", *r) for r in rows))
        return path

    def steps(self, path, *args):
        return json.loads(self.ok("sample", "--logits", path, "-s", 1, *args))["steps"]

    def shares(self, path, *args):
        return {c["id"]: round(c["p"], 4) for c in self.steps(path, *args)[0]["candidates"]}

    def refused(self, path, *args, says):
        self.fails(2, "sample", "--logits", path, *args, says=says)

    def test_shows_what_is_left_and_how_likely_it_is(self):
        path = self.npy([math.log(p) for p in (0.1, 0.4, 0.3, 0.2)])
        self.assertEqual(self.shares(path, "--samplers", ""), {1: 0.4, 2: 0.3, 3: 0.2, 0: 0.1})
        self.assertEqual(self.shares(path, "--samplers", "top_k", "--top-k", 2), {1: 0.5714, 2: 0.4286})
        self.assertEqual(self.shares(path, "--samplers", "top_p;min_p", "--top-p", 0.75, "--min-p", 0.9), {1: 1})
        self.assertEqual(self.shares(path, "--sampler-seq", "m", "--min-p", 0.6), {1: 0.5714, 2: 0.4286})
        self.assertEqual(self.shares(path, "--samplers", "temperature", "--temp", 0), {1: 1})
        self.assertEqual(self.shares(path, "--samplers", "xtc", "--xtc-probability", 1, "--xtc-threshold", 0.25),
                         {2: 0.5, 3: 0.3333, 0: 0.1667})
        self.assertEqual(self.shares(path, "--samplers", "", "-l", "1-inf", "-l", "0+1.0986123"), {0: 0.375, 2: 0.375, 3: 0.25})
        self.assertEqual(self.shares(path, "--samplers", "penalties", "--history", "1", "--presence-penalty", 0.6931472),
                         {2: 0.375, 1: 0.25, 3: 0.25, 0: 0.125})
        self.assertIn("|     1 | 0.400000 |", self.ok("sample", "--logits", path, "--samplers", "", "-o", "md").decode())

    def test_draws_as_the_seed_says(self):
        path = self.npy([0.0] * 50)
        draws = [self.steps(path, "-n", 100, "--temp", 1, "--samplers", "", "-s", seed)[0]["tokens"] for seed in (1, 1, 2)]
        self.assertEqual(len(draws[0]), 100)
        self.assertEqual(draws[0], draws[1])
        self.assertNotEqual(draws[0], draws[2])
        self.assertGreater(len(set(draws[0])), 25)

    def test_goes_on_with_the_tokens_that_are_forced(self):
        path = self.npy([1.0, 2.0], [1.0, 2.0], [1.0, 2.0])
        steps = self.steps(path, "--samplers", "penalties", "--frequency-penalty", 1, "--force", "1,1,0")
        logits = [math.log(s["candidates"][0]["p"] / s["candidates"][1]["p"]) for s in steps]
        self.assertEqual([s["candidates"][0]["id"] for s in steps], [1, 0, 0])
        self.assertAlmostEqual(logits[2], 1, 4)

    def test_takes_breakers_as_texts_of_a_vocabulary(self):
        path = self.npy([0.0] * 10)
        dry = ("--samplers", "dry", "--dry-multiplier", 1, "--history", "5,6,7,5,6")
        self.assertLess(self.shares(path, *dry)[7], 0.05)
        self.assertEqual(self.shares(path, *dry, "--dry-breaker-ids", "5")[7], 0.1)
        self.refused(path, *dry, "--dry-sequence-breaker", "x", says="needs a vocabulary")

    def test_names_what_is_wrong(self):
        path = self.npy([0.0, 1.0, 2.0])
        for args, says in ((("--samplers", "top_k,nosuch"), "'nosuch'"), (("--top-p", 1.5), "--top-p"), (("--mirostat", 3), "--mirostat"),
                           (("--history", "1,-2"), "token -2"), (("--force", "3"), "--force"), (("-l", "99+1"), "token 99"),
                           (("-l", "1+nan"), "1+nan"), (("-l", "1"), "--logit-bias"), (("-l", "1+inf"), "--logit-bias"), (("-n", -3), "-n"),
                           (("--dry-base", "nan"), "--dry-base"), (("--dry-breaker-ids", "7"), "token 7"), (("--sampler-seq", "q"), "'q'"),
                           (("-l", "0-inf", "-l", "1-inf", "-l", "2-inf"), "no candidate is left"), (("-o", "csv"), "csv"),
                           (("--force", "1,2"), "--force")):
            self.refused(path, *args, says=says)
        self.refused(self.npy([0.0, math.nan]), says="token 1: its logit is NaN")
        self.refused(self.npy([math.inf, 0.0]), says="token 0: its logit is +inf")
        self.refused(self.npy([0.0], [1.0]), "-n", 2, says="-n")

    def test_refuses_files_that_are_no_matrix_of_floats(self):
        good = self.npy([0.0, 1.0])
        content = good.read_bytes()
        for bad, says in ((b"", "no .npy file"), (content[:-1], "bytes for 2 numbers"), (content + b"....", "bytes for 2 numbers"),
                          (content[:20], "within its header"), (content.replace(b"(2,)", b"(9223372036854775807,)")[:-19] + content[-8:], ""),
                          (content.replace(b"<f4", b"<f8"), "float32"), (content.replace(b"(2,)", b"2   "), "tuple"),
                          (content.replace(b"(2,)", b"(0,)")[:-8], "no logits"), (content.replace(b"False", b"True "), "Fortran")):
            good.write_bytes(bad)
            result = support.skald("sample", "--logits", good)
            self.assertIn(result.returncode, (1, 2), bad)
            self.assertEqual(result.stdout, b"")
            self.assertIn(says, result.stderr.decode())


class Run(support.CliTest):
    def ids(self, *args):
        return self.ok(*STORY, *args).split()

    def test_takes_the_chain_and_the_other_samplers(self):
        greedy = self.ids("--temp", 0)
        self.assertEqual(self.ids("--samplers", "top_k", "--top-k", 1), greedy)
        self.assertEqual(self.ids("--mirostat", 2, "--mirostat-ent", 0), greedy)
        for chain in (("--mirostat", 1), ("--xtc-probability", 0.5), ("--typical", 0.5, "--top-nsigma", 1), ("--dynatemp-range", 0.5),
                      ("--samplers", "min_p;adaptive_p", "--adaptive-target", 0.5), ("--dry-multiplier", 0.8)):
            self.assertEqual(self.ids(*chain, "-s", 3), self.ids(*chain, "-s", 3), chain)

    def test_never_draws_what_has_a_bias_of_minus_infinity(self):
        greedy = self.ids("--temp", 0)
        without = self.ids("--temp", 0, "-l", f"{greedy[0].decode()}-inf")
        self.assertNotIn(greedy[0], without)

    def test_takes_defaults_from_the_models_file_unless_flags_say_otherwise(self):
        cold = ("--override-kv", "general.sampling.temp=float:0")
        greedy = self.ids("--temp", 0)
        self.assertEqual(self.ids(*cold), greedy)
        self.assertEqual(self.ids(*cold, "--temp", 1.5, "-s", 1), self.ids("--temp", 1.5, "-s", 1))
        self.assertEqual(self.ids("--override-kv", "general.sampling.sequence=str:top-k", "--override-kv", "general.sampling.top_k=int:1"), greedy)
        told = support.skald(*STORY, *cold, SKALD_LOG="info").stderr.decode()
        self.assertIn("sampling defaults of the model's file, before flags: temp 0", told)

    def test_leaves_out_defaults_of_the_file_that_are_out_of_range(self):
        bad = support.skald(*STORY, "--temp", 0, "--override-kv", "general.sampling.top_p=float:7")
        self.assertEqual(bad.stdout.split(), self.ids("--temp", 0))
        self.assertIn("general.sampling.top_p is left out", bad.stderr.decode())


class BenchSampling(support.CliTest):
    def test_compares_chains_with_a_softmax(self):
        rows = json.loads(self.ok("bench", "sampling", "--vocab", 5000, "-r", 2, "-o", "json"))
        self.assertEqual([r["samplers"] for r in rows][:2] + [rows[-1]["samplers"]], ["default", "penalties", "all"])
        for row in rows:
            self.assertAlmostEqual(row["ratio"], row["chain_us"] / row["softmax_us"])
            self.assertGreater(row["tokens_left"], 0)
        one = json.loads(self.ok("bench", "sampling", "--vocab", 5000, "-r", 2, "--samplers", "top_k,temperature", "-o", "json"))
        self.assertEqual([(r["samplers"], r["tokens_left"]) for r in one], [("top_k;temperature", 40)])
        self.assertIn("| ratio", self.ok("bench", "sampling", "--vocab", 500, "-r", 1, "--mirostat", 2).decode())


support.main()
