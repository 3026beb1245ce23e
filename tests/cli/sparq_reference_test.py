"""Logits of sparse decoding against its definition (reference/sparq.py) in a Llama of NumPy's (reference/llama.py)."""
import json
import re
import sys

import support

try:
    import numpy as np
except ImportError:
    print("skipped: no NumPy, so that sparse decoding is not compared with its definition", file=sys.stderr)
    sys.exit(0)

from reference.llama import Llama, tensors_of
from reference.sparq import Indexed, Sparq, TextLoss, balanced, numbers_for, ratio_of_loss, shares

# Rounding decides no choice that is so clear, relatively, and moves logits by less than that.
CLEAR, CLOSE = 1e-4, 1e-3


class OnGoldenModels(support.CliTest):
    def model(self, name):
        """A golden model with all of its weights in F32, and its metadata."""
        path = self.new_folder() / "model.gguf"
        self.ok("quantize", support.DATA / "golden" / name / "model.gguf", path, "F32")
        return path, json.loads(self.ok("inspect", path, "--json"))["metadata"]


class AgainstDefinition(OnGoldenModels):
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
        self.agrees("llama_gqa", 1110, 1070, 6, Sparq(6, 24, mean=True))

    def test_of_a_window_of_some_pages(self):
        self.agrees("mistral", 300, 200, 11, Sparq(6, 24), "--no-sparq-mean", window=150)

    def test_of_a_window_that_seldom_holds_a_whole_page(self):
        self.agrees("mistral", 300, 200, 2, Sparq(6, 24), "--no-sparq-mean", window=64)

    def test_as_published(self):
        self.agrees("llama_gqa", 230, 170, 1, Sparq(6, 24, choice="magnitude"), "--sparq-choice", "magnitude")


class OfALoss(OnGoldenModels):
    """How many components and keys a loss reads, as the program tells them; other numbers are in C++ beside these."""

    def messages(self, *args):
        done = support.skald(*args)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr.decode()

    def told(self, path, n, nats):
        """k1 and k2 of a row that sees n keys; None: it is dense."""
        out = self.messages("run", "-m", path, "-p", "a", "-n", "1", "-c", n, "--sparq-loss", nats, "--kv-report")
        found = re.search(rf"at {n:,}, k1 ([\d,]+) and k2 ([\d,]+)", out)
        return found and tuple(int(number.replace(",", "")) for number in found.groups())

    def test_reads_these_numbers_of_keys_and_components(self):
        path, metadata = self.model("llama_gqa")
        d = metadata["llama.embedding_length"] // metadata["llama.attention.head_count"]
        for n in (512, 1024, 4096, 20000):
            for nats in (0.001, 0.01, 0.05, 0.8):
                k1, k2, _ = numbers_for(ratio_of_loss(nats, n), n, d, 4 * d, basis=False)
                self.assertEqual(self.told(path, n, nats), (k1, k2) if k2 < n else None, (n, nats))

    def test_gives_shares_and_a_scale_that_cpp_gives_too(self):
        np.testing.assert_allclose(shares([1e-3, 1e-4, 0, 2e-3], [1, 1, 3, 2]), [1.01873, 0.67307, 1, 1.15410], atol=1e-4)
        text = TextLoss(0.01, 1)
        text.trial(0.002)
        text.check(0.004, text.scale())
        self.assertAlmostEqual(text.scale(), 1.09494, places=4)


class OfARatio(OnGoldenModels):
    """The numbers of a ratio, and its index of four bits in the keys' own components or those of a calibration."""
    N, DECODE_FROM, RATIO = 1096, 1092, 5

    def setUp(self):
        self.path, self.metadata = self.model("llama_gqa")
        self.ids = np.random.default_rng(17).integers(3, self.metadata["llama.vocab_size"], self.N).tolist()

    def calibration(self, n, windows):
        """The text's ids, in windows of n, and the file that is made of them."""
        ids = np.random.default_rng(81).integers(3, self.metadata["llama.vocab_size"], n * windows).tolist()
        text, out = self.path.with_name("ids.txt"), self.path.with_name("model.skald-index")
        text.write_text(support.comma(ids))
        self.ok("calibrate", "-m", self.path, "--ids-file", text, "-c", n, "-o", out)
        return ids, out

    def bases(self, path):
        """By layer, (n_kv, d, d) for keys and for queries."""
        w = tensors_of(path)
        return {f"blk.{i}.": tuple(w[f"blk.{i}.attn_index.{of}"] for of in ("keys", "queries")) for i in range(2)}

    def logits_agree(self, rule, *flags):
        llama = Llama(self.path, self.metadata, stored=np.float16)
        want = llama.logits(self.ids, self.DECODE_FROM, rule)
        self.assertGreater(rule.least_gap, CLEAR, "the text has choices that rounding decides: take another seed")
        out = self.path.with_name("logits.npy")
        self.ok("logits", "-m", self.path, "--ids", support.comma(self.ids), "--decode-from", self.DECODE_FROM, "--sparq",
                "--sparq-ratio", self.RATIO, "-o", out, *flags, SKALD_ISA="scalar")
        self.close(np.load(out), want)
        return llama, want

    def close(self, got, want):
        """Rounding to F16 adds to the prompt's logits, of which the cached keys and values are."""
        np.testing.assert_allclose(got, want, rtol=0, atol=5 * CLOSE)

    def test_in_the_components_of_the_keys(self):
        llama, want = self.logits_agree(Indexed(self.RATIO))
        far = np.abs(llama.logits(self.ids, self.DECODE_FROM, Indexed(self.RATIO - 1)) - want)
        self.assertGreater(far.max(), 10 * CLOSE, "the text does not tell ratios apart")

    def test_in_those_of_a_calibration(self):
        _, file = self.calibration(512, 2)
        llama, want = self.logits_agree(Indexed(self.RATIO, self.bases(file)), "--sparq-index", file)
        far = np.abs(llama.logits(self.ids, self.DECODE_FROM, Indexed(self.RATIO)) - want)
        self.assertGreater(far.max(), 10 * CLOSE, "the text does not tell the bases apart")

    def test_of_which_a_calibration_is_the_balanced_basis(self):
        n, windows = 200, 3
        ids, file = self.calibration(n, windows)
        llama, texts = Llama(self.path, self.metadata), []
        for i in range(windows):
            begin = [self.metadata["tokenizer.ggml.bos_token_id"]]
            llama.logits(begin + ids[i * n + 1:(i + 1) * n], n, None)
            texts.append(llama.heads["blk.0."])
        q, k = (np.concatenate([text[i] for text in texts], 1) for i in (0, 1))  # (heads, windows * n, d)
        group = len(q) // len(k)
        for kv, (of_keys, of_queries) in enumerate(zip(*self.bases(file)["blk.0."])):
            keys, queries = k[kv] - k[kv].mean(0), q[kv * group:(kv + 1) * group].reshape(-1, k.shape[2])
            want = balanced(keys.T @ keys / len(keys), len(keys), queries.T @ queries / len(queries), len(queries))
            sign = np.sign((of_keys * want[0]).sum(1))[:, None]
            for got, wanted in zip((of_keys, of_queries), want):
                np.testing.assert_allclose(sign * got, wanted, rtol=0, atol=1e-3 * np.abs(wanted).max())
            np.testing.assert_allclose(of_queries.T @ of_keys, np.eye(len(of_keys)), rtol=0, atol=1e-4)


support.main()
