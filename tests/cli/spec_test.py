"""--spec: a step computes several tokens of a text, which stays the same."""
import json
import re
import unittest

import support

REPEATS = ("-p", "The cat sat. The dog ran. " * 6, "-n", "80", "--ignore-eos", "-t", "2")


def golden(name):
    return str(support.DATA / "golden" / name / "model.gguf")


class Spec(support.CliTest):
    def test_ids_are_the_same_with_and_without_guesses(self):
        for sampling in (("--temp", "0"), ("--temp", "1.2", "--seed", "7")):
            want = self.ids(*REPEATS, *sampling)
            for spec in (("--spec", "ngram"), ("--spec", "ngram", "--draft-max", "3"), ("--spec", "auto"), ("--spec", "none")):
                self.assertEqual(self.ids(*REPEATS, *sampling, *spec), want, spec)

    def test_ids_are_the_same_with_sparse_decoding_and_small_caches(self):
        for more in (("--sparq", "--k1", "8", "--k2", "16"), ("-ctk", "q8_0", "-ctv", "q4_0")):
            want = self.ids(*REPEATS, "--temp", "0", *more)
            self.assertEqual(self.ids(*REPEATS, "--temp", "0", *more, "--spec", "ngram"), want, more)

    def test_ids_are_the_same_with_a_model_that_guesses(self):
        model = golden("llama_gqa")
        text = ("-m", model, "--prompt-ids", "3,4,5,6,7,8", "-n", "30", "--temp", "0", "--ignore-eos")
        want = self.ids(*text)
        for spec in (("--spec", "draft", "-md", model), ("-md", model, "--draft-p-min", "0"), ("-md", model, "--draft-min", "2")):
            self.assertEqual(self.ids(*text, *spec), want, spec)
        told = json.loads(self.ok("run", *text, "-md", model, "--draft-p-min", "0", "-o", "json"))
        self.assertEqual(told["ids"], want)
        self.assertGreater(told["timings"]["draft_n"], 20)
        self.assertLess(told["timings"]["draft_n"], 30)  # guesses end with the text
        self.assertEqual(told["timings"]["draft_n"], told["timings"]["draft_n_accepted"])

    def test_a_model_of_another_vocabulary_is_refused(self):
        failed = support.skald("run", "-m", golden("llama_gqa"), "--prompt-ids", "3,4", "-md", golden("gemma3"))
        self.assertNotEqual(failed.returncode, 0)
        self.assertIn("-md): its vocabulary", failed.stderr.decode())

    def test_an_unknown_kind_is_rejected_with_the_known_ones(self):
        failed = support.skald("run", "-p", "x", "--spec", "oracle")
        self.assertNotEqual(failed.returncode, 0)
        self.assertIn("--spec: 'oracle' is unknown; known: none, auto, draft, mtp, ngram, sparq", failed.stderr.decode())

    def test_a_file_gives_guesses(self):
        text = ("-p", "Once upon a time", "-n", "60", "--temp", "0", "--ignore-eos", "-t", "2")
        want = self.ok("run", *text, "--no-display-prompt")
        corpus = self.new_folder() / "corpus.txt"
        corpus.write_bytes(b"Once upon a time" + want)
        got = support.skald("run", *text, "--no-display-prompt", "--spec", "ngram", "--spec-corpus", str(corpus))
        self.assertEqual(got.stdout, want)
        right = int(re.search(r"guesses: +\d+ tokens, of which (\d+) ", got.stderr.decode())[1])
        self.assertGreater(right, 40)
        missing = support.skald("run", *text, "--spec", "ngram", "--spec-corpus", str(corpus) + ".none")
        self.assertNotEqual(missing.returncode, 0)
        self.assertIn(str(corpus) + ".none", missing.stderr.decode())

    def test_bench_compares_decoding_with_guesses_and_without(self):
        flags = ("-d", "40", "-n", "24", "-r", "1", "-t", "2")
        row, = json.loads(self.ok("bench", "--spec-synth", "1", "--draft-max", "4", *flags, "-o", "json"))
        self.assertEqual((row["draft_n"], row["draft_n_accepted"]), (18, 18))
        corpus = self.new_folder() / "text.txt"
        corpus.write_text("The cat sat on the mat. " * 8)
        row, = json.loads(self.ok("bench", "--spec", "ngram", "-f", str(corpus), *flags, "-o", "json"))
        self.assertEqual((row["kind"], row["depth"], row["n_tokens"]), ("ngram", 40, 24))
        self.assertIn(b"right by place", self.ok("bench", "--spec-synth", "0.5", *flags))
        for wrong, says in ((("--spec", "ngram"), "-f"), (("-f", str(corpus)), "--spec"), (("--spec-synth", "2"), "--spec-synth"),
                            (("--spec-synth", "0.5", "--spec", "ngram"), "--spec"),
                            (("--spec-synth", "0.5", "-o", "svg"), "svg")):
            self.fails(2, "bench", *wrong, says=says)

    def test_a_number_without_a_kind_is_told(self):
        told = support.skald("run", "-p", "x", "-n", "1", "--draft-max", "4")
        self.assertEqual(told.returncode, 0)
        self.assertIn("--draft-max does nothing without --spec", told.stderr.decode())


if __name__ == "__main__":
    unittest.main()
