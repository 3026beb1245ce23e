"""Logits of sparse decoding against its definition (reference/sparq.py) in a Llama of NumPy's (reference/llama.py)."""
import json
import sys

import support

try:
    import numpy as np
except ImportError:
    print("skipped: no NumPy, so that sparse decoding is not compared with its definition", file=sys.stderr)
    sys.exit(0)

from reference.llama import Llama
from reference.sparq import Sparq

# Rounding decides no choice that is so clear, relatively, and moves logits by less than that.
CLEAR, CLOSE = 1e-4, 1e-3


class AgainstDefinition(support.CliTest):
    def model(self, name):
        """A golden model with all of its weights in F32, and its metadata."""
        path = self.new_folder() / "model.gguf"
        self.ok("quantize", support.DATA / "golden" / name / "model.gguf", path, "F32")
        return path, json.loads(self.ok("inspect", path, "--json"))["metadata"]

    def engine(self, path, ids, decode_from, *flags):
        out = path.with_name("logits.npy")
        self.ok("logits", "-m", path, "--ids", support.comma(ids), "--decode-from", decode_from, "-ctk", "f32", "-ctv", "f32",
                "--sparq", "--sparq-kt", "f16", "-o", out, *flags)
        return np.load(out)

    def agrees(self, name, n, decode_from, seed, rule, *flags, window=0):
        """n random tokens, of which those from decode_from on are decoded by `rule`, which `flags` say too."""
        path, metadata = self.model(name)
        if window:
            flags = (*flags, "--override-kv", f"llama.attention.sliding_window=int:{window}")
        ids = np.random.default_rng(seed).integers(3, metadata["llama.vocab_size"], n).tolist()
        llama = Llama(path, metadata, window)
        want = llama.logits(ids, decode_from, rule)
        self.assertGreater(rule.least_gap, CLEAR, "the text has choices that rounding decides: take another seed")
        got = self.engine(path, ids, decode_from, "--k1", rule.k1, "--k2", rule.k2, *flags)
        np.testing.assert_allclose(got, want, rtol=0, atol=CLOSE)
        other = "magnitude" if rule.choice == "spread" else "spread"
        far = np.abs(llama.logits(ids, decode_from, Sparq(rule.k1, rule.k2, rule.local, rule.mean, other)) - want)
        self.assertGreater(far.max(), 100 * CLOSE, "the text does not tell the rules apart")

    def test_of_one_query_head_per_kv_head(self):
        self.agrees("llama_mha", 230, 100, 0, Sparq(4, 24, mean=True))

    def test_before_and_behind_the_first_whole_page(self):
        self.agrees("llama_mha", 130, 30, 0, Sparq(4, 24, mean=True))

    def test_without_recent_keys_and_mean(self):
        self.agrees("llama_mha", 230, 100, 0, Sparq(4, 24, local=0), "--sparq-local", "0", "--no-sparq-mean")

    def test_of_groups(self):
        self.agrees("llama_gqa", 230, 170, 3, Sparq(6, 24, local=3, mean=True), "--sparq-local", "3")

    def test_of_groups_without_the_mean(self):
        self.agrees("llama_gqa", 230, 170, 0, Sparq(6, 24), "--no-sparq-mean")

    def test_of_as_many_keys_as_are_scored_by_the_index(self):
        self.agrees("llama_gqa", 1110, 1070, 7, Sparq(6, 24, mean=True))

    def test_of_a_window_of_some_pages(self):
        self.agrees("mistral", 300, 200, 11, Sparq(6, 24), "--no-sparq-mean", window=150)

    def test_of_a_window_that_seldom_holds_a_whole_page(self):
        self.agrees("mistral", 300, 200, 2, Sparq(6, 24), "--no-sparq-mean", window=64)

    def test_as_published(self):
        self.agrees("llama_gqa", 230, 170, 1, Sparq(6, 24, choice="magnitude"), "--sparq-choice", "magnitude")


support.main()
