"""Sparse decoding's flags, and the benchmark of attention, as programs see them."""
import csv
import io
import json
import re

import support

RUN = ("run", "-p", "Once upon a time", "-n", "24", "--temp", "0", "--ignore-eos", "--print-ids", "--kv-layout",
       "rows")  # as sparse decoding has them unless told otherwise; other layouts round otherwise
ATTENTION = ("bench", "attention", "--heads", "2", "--kv-heads", "2", "--head-dim", "32", "-r", "1", "-t", "1", "--k1", "8", "--k2",
             "16", "--roofline-seconds", "0.05")
BENCH = (*ATTENTION, "--lengths", "256")
FLAGS = "--sparq --k1 --k2 --sparq-ratio --sparq-loss --sparq-local --sparq-mean --no-sparq-mean --sparq-choice --selector --sparq-kt --sparq-default-layout".split()


class SparqFlags(support.CliTest):
    def test_change_what_is_decoded_unless_all_keys_are_kept(self):
        dense = self.ok(*RUN)
        self.assertEqual(self.ok(*RUN, "--sparq", "--k1", "4", "--k2", "4096"), dense)
        self.assertEqual(self.ok(*RUN, "--sparq", "--k1", "0", "--k2", "8"), dense)
        self.assertEqual(self.ok(*RUN, "--sparq", "--sparq-ratio", "8"), dense)
        by_dims = (*RUN[:-1], "dims")
        self.assertEqual(self.ok(*by_dims, "--sparq", "--k1", "4", "--k2", "4096"), self.ok(*by_dims))
        self.assertNotEqual(self.ok(*by_dims, "--sparq", "--k1", "1", "--k2", "2"), dense)
        self.assertNotEqual(self.ok(*RUN, "--sparq", "--k1", "1", "--k2", "2"), dense)

    def test_complete_one_number_of_the_two(self):
        for given, taken in ((("--k1", "4"), "--k2 512"), (("--k2", "8"), "--k1 32"), (("--k1", "0"), "densely")):
            self.assertIn(taken, support.skald(*RUN, "--sparq", *given).stderr.decode(), given)
        by_dims = (*RUN[:-1], "dims", "--sparq")
        self.assertEqual(self.ok(*by_dims, "--k2", "8"), self.ok(*by_dims, "--k1", "32", "--k2", "8"))

    def test_choose_the_same_keys_with_any_copy_of_few(self):
        sparse = (*RUN, "--sparq", "--k1", "4", "--k2", "8")
        want = self.ok(*sparse)
        for copy in (("--sparq-kt", "f16"), ("--sparq-kt", "int8"), ("--sparq-kt", "int4"), ("--sparq-default-layout",)):
            self.assertEqual(self.ok(*sparse, *copy), want, copy)

    def test_that_contradict_each_other_are_wrong(self):
        for args in (("--k1", "4"), ("--k2", "4"), ("--sparq-ratio", "8"), ("--sparq-mean",), ("--no-sparq-mean",),
                     ("--sparq-default-layout",), ("--sparq-choice", "magnitude"), ("--selector", "pages")):
            self.fails(2, *RUN, *args, says="--sparq")
        self.fails(2, *RUN, "--sparq", "--sparq-mean", "--no-sparq-mean", says="--no-sparq-mean")
        self.fails(2, *RUN, "--sparq", "--sparq-ratio", "8", "--k1", "4", says="--sparq-ratio")
        for other in (("--sparq-ratio", "8"), ("--k1", "4"), ("--k2", "4"), ("--selector", "pages"), ("--selector", "pages+sparq")):
            self.fails(2, *RUN, "--sparq-loss", "auto", *other, says="loss")
        self.fails(2, *RUN, "--sparq", "--selector", "pages", "--k1", "4", "--k2", "64", says="k1")
        for other in (("--sparq-mean",), ("--sparq-kt", "int8"), ("--sparq-default-layout",), ("--sparq-choice", "spread")):
            self.fails(2, *RUN, "--sparq", "--selector", "pages", "--k2", "64", *other, says=other[0].rsplit("-", 1)[1])

    def test_out_of_range_are_wrong(self):
        for flag, value in (("--k1", "-1"), ("--k2", "-1"), ("--k1", "x"), ("--sparq-ratio", "0.5"), ("--sparq-ratio", "nan"),
                            ("--sparq-local", "-2"), ("--sparq-kt", "none"), ("--sparq-kt", "q4_0"), ("--sparq-choice", "largest"), ("--selector", "blocks"),
                            ("--sparq-loss", "0"), ("--sparq-loss", "-1"), ("--sparq-loss", "2"), ("--sparq-loss", "nan"),
                            ("--sparq-loss", "some")):
            self.fails(2, *RUN, "--sparq", flag, value, says=flag.removeprefix("--").removeprefix("sparq-"))

    def test_are_in_the_help_of_what_decodes(self):
        for command in ("run", "bench", "logits"):
            text = self.ok(command, "--help").decode()
            for flag in FLAGS:
                self.assertIn(flag, text, command)


    def test_say_what_was_read(self):
        long = ("run", "-p", "Once upon a time " * 60, "-n", "4", "--ignore-eos", "--sparq", "--k1", "8", "--k2", "32")
        for choice in ("spread", "magnitude"):
            said = support.skald(*long, "--sparq-choice", choice).stderr.decode()
            share = float(re.search(r"read 1/([\d.]+) of what dense decoding reads", said)[1])
            self.assertGreater(share, 4)
            self.assertLess(share, 9)
        self.assertNotIn("dense decoding", support.skald(*long[:7]).stderr.decode())


class WhenItBegins(support.CliTest):
    """skald run says from which number of keys on tokens are decoded sparsely, and when none was."""
    DENSE = "every token was decoded densely"

    def says(self, n_prompt, n, *flags, model=()):
        """stderr of n tokens after a prompt: the last one to be decoded sees n_prompt + n - 1 keys."""
        ids = support.comma(1 + i % 300 for i in range(n_prompt))
        r = support.skald("run", *model, "--prompt-ids", ids, "-n", n, "--temp", "0", "--ignore-eos", "--print-ids", "--sparq", *flags)
        self.assertEqual(r.returncode, 0, r.stderr)
        return r.stderr.decode()

    def begins(self, first, *flags):
        """Tokens that see fewer keys are dense."""
        dense, sparse = (self.says(first - 2, n, *flags) for n in (2, 3))
        self.assertEqual(dense.count(self.DENSE), 1, dense)
        self.assertNotIn("of what dense decoding reads", dense)
        self.assertNotIn(self.DENSE, sparse)
        self.assertIn("of what dense decoding reads", sparse)

    def test_is_as_the_report_says(self):
        for flags, first, k1, k2 in ((("--k1", "8", "--k2", "40"), 41, 8, 40), (("--sparq-ratio", "2"), 410, 64, 250), ((), 820, 50, 128)):
            self.begins(first, *flags)
            said = self.says(first, 2, "-c", "1000", "--kv-report", *flags)
            self.assertRegex(said, rf"\nsparse: +6 layers that see all keys: sparse from {first} keys on; at 1,000, k1 {k1} and k2 {k2}\n")
            said = self.says(8, 2, "--kv-report", *flags)
            self.assertRegex(said, rf"\nsparse: +6 layers that see all keys: dense below {first} keys, and a token sees 10 at most\n")

    def test_counts_what_a_window_shows(self):
        model = ("-m", support.DATA / "golden/mistral/model.gguf")  # two layers with a window of 64
        said = self.says(200, 4, "--k1", "8", "--k2", "64", "--kv-report", model=model)
        text = "2 layers with a window of 64: dense below 65 keys, and a token sees 64 at most"
        self.assertEqual(said.count(text), 2, said)
        self.assertEqual(said.count(self.DENSE), 1, said)
        sinks = ("--swa-sinks", "9", "--k1", "8")
        self.assertIn(self.DENSE, self.says(200, 4, "--k2", "73", *sinks, model=model))
        said = self.says(200, 4, "--k2", "72", *sinks, "--kv-report", model=model)
        self.assertIn("2 layers with a window of 64: sparse from 73 keys on; at 73, k1 8 and k2 72", said)
        self.assertNotIn(self.DENSE, said)

    def test_is_told_of_each_kind_of_layer(self):
        model = ("-m", support.DATA / "golden/gemma3/model.gguf")
        said = self.says(100, 2, "--k1", "8", "--k2", "70", "--kv-report", model=model)
        self.assertIn("sparse:   6 layers with a window of 64: dense below 71 keys, and a token sees 64 at most\n"
                      "sparse:   1 layer that sees all keys: sparse from 71 keys on; at 102, k1 8 and k2 70\n", said)
        self.assertNotIn(self.DENSE, said)

    def test_is_never_where_nothing_is_to_be_saved(self):
        self.assertIn(f"{self.DENSE} (6 layers that see all keys: dense at any length)", self.says(8, 4, "--sparq-ratio", "1"))

    def test_is_told_without_perf_but_not_without_warnings_or_tokens(self):
        few = ("run", "-p", "Once", "--temp", "0", "--no-perf", "--sparq", "--sparq-ratio", "4", "-n")
        self.assertRegex(support.skald(*few, "4").stderr.decode(), rf"^skald: --sparq: {self.DENSE} .*\n$")
        self.assertEqual(support.skald(*few, "4", SKALD_LOG="error").stderr, b"")
        self.assertEqual(support.skald(*few, "1").stderr, b"")
        self.assertNotIn("spar", support.skald("run", "-p", "Once", "-n", "4", "--kv-report").stderr.decode())

    def test_is_told_of_a_measurement(self):
        ids = self.new_folder() / "ids.txt"
        ids.write_text(support.comma([1, 2, 3, 4] * 16))
        measure = ("perplexity", "--ids-file", ids, "-c", "64", "--sparq", "--k1", "8", "--k2")
        self.assertIn(self.DENSE, support.skald(*measure, "64").stderr.decode())
        self.assertNotIn(self.DENSE, support.skald(*measure, "63").stderr.decode())


class BenchAttention(support.CliTest):
    def test_prints_a_table(self):
        text = self.ok(*BENCH).decode()
        for word in ("| decode", "speed-up", "in theory", "step one", "selection", "step two", "GB/s"):
            self.assertIn(word, text)

    def test_prints_json(self):
        (row,) = json.loads(self.ok(*BENCH, "-o", "json"))
        self.assertEqual((row["test"], row["length"], row["k1"], row["k2"]), ("decode", 256, 8, 16))
        self.assertGreater(row["dense_seconds"], 0)
        self.assertGreater(row["sparse_seconds"], 0)
        shares = row["score_share"], row["select_share"], row["attend_share"]
        self.assertAlmostEqual(sum(shares), 1, places=6)
        self.assertTrue(all(x > 0 for x in shares), shares)

    def test_takes_ranges_of_lengths_and_one_type_for_the_cache(self):
        rows = json.loads(self.ok(*ATTENTION, "--lengths", "64,128..512,1k..3k", "--dtype", "f32", "-o", "json"))
        self.assertEqual([row["length"] for row in rows], [64, 128, 256, 512, 1024, 2048, 3072])
        halves = json.loads(self.ok(*ATTENTION, "--lengths", "64", "-o", "json"))
        self.assertAlmostEqual(rows[0]["dense_bytes"] / halves[0]["dense_bytes"], 2, delta=0.1)

    def test_prints_csv(self):
        header, row = csv.reader(io.StringIO(self.ok(*BENCH, "-o", "csv").decode()))
        self.assertEqual(len(header), len(row))
        self.assertEqual(row[:2], ["decode", "256"])

    def test_draws_the_speedup_measured_and_by_bytes_moved(self):
        svg = self.ok(*ATTENTION, "--lengths", "512,1024,2048", "-o", "svg")
        texts = support.svg_texts(svg)
        for text in ("512", "1k", "2k", "measured", "by bytes moved", "keys in the cache"):
            self.assertIn(text, texts)
        self.assertIn("2 query heads on 2 KV heads of 32; K f16, V f16; k1 8, k2 16; index int8", " ".join(texts))

    def test_without_fusion_is_dense(self):
        (row,) = json.loads(self.ok("bench", "attention", "--heads", "2", "--kv-heads", "2", "--head-dim", "32", "--lengths", "300", "-r",
                                    "1", "--no-fused", "--roofline-seconds", "0.05", "-o", "json"))
        self.assertGreater(row["dense_seconds"], 0)
        self.assertEqual((row["sparse_seconds"], row["k1"], row["k2"]), (0, 0, 0))

    def test_compares_fused_with_unfused_prompts(self):
        (row,) = json.loads(self.ok(*ATTENTION, "--lengths", "0", "-p", "65", "--unfused", "-o", "json"))
        self.assertEqual((row["test"], row["length"]), ("prefill", 65))
        self.assertGreater(row["dense_share"], 0)
        self.assertAlmostEqual(row["fused_speedup"], row["unfused_seconds"] / row["dense_seconds"], places=6)

    def test_that_makes_no_sense_is_wrong(self):
        self.fails(2, *BENCH, "-o", "xml", says=("bench attention", "xml", "json", "svg"))
        self.fails(2, *BENCH, "-o", "svg", "-p", "65", says="-p")
        self.fails(2, *ATTENTION, "-o", "svg", "--lengths", "0", says="--lengths")
        self.fails(2, "bench", "attention", "--ratio", "0", "-o", "svg", says="--sparq-ratio")
        self.fails(2, *BENCH, "--unfused", says="-p")
        self.fails(2, *BENCH, "--no-fused", says=("--no-fused", "--k1"))
        self.fails(2, "bench", "attention", "--ratio", "4", "--no-fused", says=("--no-fused", "--sparq-ratio"))
        self.fails(2, "bench", "attention", "-p", "65", "--unfused", "--no-fused", says=("--unfused", "--no-fused"))
        self.fails(2, *BENCH, "--roofline-seconds", "0", says="--roofline-seconds")
        self.fails(2, "bench", "attention", "--heads", "3", "--kv-heads", "2", says="3 query heads")
        self.fails(2, "bench", "attention", "--k1", "-1", says="k1")
        for lengths in ("1x", "k", "4k..", "..4k", "4k..1k", "0..8", "1k..2k..4k", "9223372036854775807k", "1.5k"):
            self.fails(2, *ATTENTION, "--lengths", lengths, says="--lengths")
        self.fails(2, *BENCH, "--dtype", "q3", says="q3")
        self.fails(2, *BENCH, "--dtype", "f32", "-ctk", "f32", says="--dtype")

    def test_help_lists_its_flags(self):
        text = self.ok("bench", "attention", "--help").decode()
        for flag in ("--heads", "--kv-heads", "--head-dim", "--lengths", "--n-prompt", "--k1", "--k2", "--sparq-ratio", "--sparq-kt",
                     "--repetitions", "--unfused", "--roofline-seconds", "--output"):
            self.assertIn(flag, text)


support.main()
