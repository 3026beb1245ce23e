"""perplexity, imatrix, split and merge as programs see them."""
import json
import math
import signal
import struct
import subprocess
import time
from pathlib import Path

import support

# Every story of the embedded model's examples: some 500 tokens.
TEXT = "\n".join(s["prompt"] for s in support.STORIES)
IDS = [i for s in support.STORIES for i in s["ids"] + s["greedy"]]


class Measuring(support.CliTest):
    def setUp(self):
        self.folder = self.new_folder()
        self.ids = self.folder / "ids.txt"
        self.ids.write_text(support.comma(IDS))

    def perplexity(self, *args):
        return json.loads(self.ok("perplexity", "--ids-file", self.ids, "-c", "64", "-o", "json", *args))


class Perplexity(Measuring):
    def test_is_what_the_logits_say(self):
        first = IDS[0]  # every window begins with the token that begins texts
        windows = [[first] + IDS[at + 1:at + 64] for at in range(0, len(IDS) - 63, 64)]
        losses = []
        for i, window in enumerate(windows):
            path = self.folder / "logits.npy"
            self.ok("logits", "--ids", support.comma(window), "-o", path)
            data = path.read_bytes()
            begin = 10 + struct.unpack_from("<H", data, 8)[0]
            n_vocab = (len(data) - begin) // 4 // 64
            for position in range(32, 63):
                row = struct.unpack_from(f"<{n_vocab}f", data, begin + 4 * n_vocab * position)
                total = math.fsum(math.exp(x) for x in row)
                losses.append(math.log(total) - row[IDS[64 * i + position + 1]])
        mean = math.fsum(losses) / len(losses)
        result = self.perplexity()
        self.assertEqual((result["chunks"], result["tokens"]), (len(windows), len(losses)))
        self.assertAlmostEqual(result["perplexity"], math.exp(mean), delta=1e-5 * math.exp(mean))
        error = math.sqrt(sum((x - mean) ** 2 for x in losses) / len(losses) / (len(losses) - 1))
        self.assertAlmostEqual(result["loss_error"], error, delta=1e-4 * error)

    def test_says_one_line_on_stdout(self):
        out = self.ok("perplexity", "--ids-file", self.ids, "-c", "64", "--chunks", "2").decode()
        self.assertRegex(out, r"^PPL = \d+\.\d{4} \+/- \d+\.\d{5}\n$")
        self.assertIn("perplexity", self.ok("perplexity", "--ids-file", self.ids, "-c", "64", "-o", "csv").decode())

    def test_of_text_through_a_pipe_with_a_stride(self):
        for extra in ((), ("--stride", "16"), ("--ppl-stride", "5"), ("-ub", "16"), ("-b", "20"), ("-ctk", "q8_0", "-ctv", "q4_0")):
            out = self.ok("perplexity", "-f", "-", "-c", "32", *extra, stdin=TEXT.encode() * 3)
            self.assertRegex(out.decode(), r"^PPL = ", extra)

    def test_of_text_that_is_not_utf8(self):
        out = self.ok("perplexity", "-f", "-", "-c", "32", stdin=bytes(range(256)) * 2)
        value = float(out.split()[2])
        self.assertTrue(math.isfinite(value) and value > 1, out)

    def test_beside_a_reference(self):
        ref = self.folder / "ref.bin"
        saved = self.perplexity("--save-reference", ref)
        for args in (("--kl-reference", ref), ("--kl-divergence-base", ref, "--kl-divergence")):
            result = self.perplexity(*args)
            self.assertEqual(result["perplexity"], saved["perplexity"])
            self.assertAlmostEqual(result["divergence"], 0, delta=1e-4)
            self.assertEqual(result["same_top"], 1)
        other = self.folder / "other.bin"
        self.perplexity("--kl-divergence-base", other)
        self.assertEqual(other.read_bytes(), ref.read_bytes())
        # The reference has the text and its windows.
        alone = json.loads(self.ok("perplexity", "--kl-reference", ref, "-o", "json", "-ctk", "q4_0", "-ctv", "q4_0"))
        self.assertEqual(alone["n_ctx"], 64)
        self.assertGreater(alone["divergence"], 0)
        self.assertIn("Same top p", self.ok("perplexity", "--kl-reference", ref).decode())

    def test_with_sparse_decoding(self):
        dense = self.perplexity()
        self.assertEqual(self.perplexity("--sparq", "--k1", "64", "--k2", "64")["tokens"], dense["tokens"])
        self.assertNotEqual(self.perplexity("--sparq", "--k1", "8", "--k2", "8")["perplexity"], dense["perplexity"])

    def test_with_sparse_decoding_is_one_number_for_any_steps_and_threads(self):
        # The second half of a window is decoded. In it pages fill in the middle of steps; 512 tokens are two windows of 256; and
        # from 1,024 keys on, scores come from the index.
        self.ids.write_text(support.comma(IDS * 3))
        few, long = ("-c", "256", "--chunks", "2", "--k2", "24"), ("-c", "1152", "--chunks", "1")
        for args, other in (((*few, "--k1", "8"), ("--sparq-choice", "magnitude")),
                            (("-c", "512", "--chunks", "1", "--sparq-ratio", "2"), ("--sparq-choice", "magnitude")),
                            ((*long, "--k1", "8", "--k2", "64"), ("--sparq-choice", "magnitude")),
                            ((*long, "--sparq-loss", "0.002"), ("--no-sparq-mean",)),
                            ((*long, "--k2", "200", "--selector", "pages"), ("--sparq-local", "0")),
                            ((*long, "--k1", "8", "--k2", "64", "--selector", "pages+sparq"), ("--no-sparq-mean",))):
            results = {(t, ub): self.perplexity(*args, "--sparq", "-t", t, "-ub", ub) for t in (1, 2) for ub in (1, 100, 512)}
            want = results[1, 1]
            self.assertLess(want["sparq_read"], 0.95)
            self.assertNotEqual(want["loss"], self.perplexity(*args, "--sparq", *other)["loss"])
            for of, result in results.items():
                self.assertEqual(result, want, (args, of))

    def test_refuses_what_makes_no_sense(self):
        for args, says in (((), "-f FILE"), (("-f", "a", "--ids-file", "b"), "want one of"), (("-f", "a", "-c", "2"), "ctx-size"),
                           (("-f", "a", "-c", "-1"), "ctx-size"), (("-f", "a", "--chunks", "0"), "chunks"), (("-f", "a", "--stride", "512"), "stride"),
                           (("-f", "a", "-o", "xml"), "xml"), (("-f", "a", "-b", "0"), "-b"), (("-f", "a", "--kl-divergence"), "--kl-divergence-base"),
                           (("-f", "a", "--save-reference", "x", "--kl-reference", "y"), "want one of"),
                           (("-f", "a", "--kl-last", "4"), "goes with --kl-reference"),
                           (("--kl-reference", "y", "--kl-last", "-1"), "want at least 0"),
                           (("-f", "a", "--stride", "5", "--save-reference", "x"), "--stride does not go with")):
            self.fails(2, "perplexity", *args, says=says)
        self.fails(1, "perplexity", "-f", "/nonexistent.txt", says="/nonexistent.txt")
        self.fails(1, "perplexity", "-f", self.folder, says=str(self.folder))
        self.fails(1, "perplexity", "-f", "-", says=("the text has 1 tokens", "at least 512"))
        self.fails(1, "perplexity", "-f", "-", stdin=b"Once upon a time", says=("at least 512"))
        self.ids.write_text("1,2,99999\n" * 30)
        self.fails(1, "perplexity", "--ids-file", self.ids, "-c", "16", says="99999")
        self.ids.write_text("1,2,three")
        self.fails(2, "perplexity", "--ids-file", self.ids, says="'three'")

    def test_refuses_references_that_are_none(self):
        ref = self.folder / "ref.bin"
        self.perplexity("--save-reference", ref)
        whole = ref.read_bytes()
        self.fails(1, "perplexity", "--kl-reference", ref, "-f", "-", stdin=TEXT.encode() * 9, says="another text")
        self.fails(1, "perplexity", "--kl-reference", ref, "--ids-file", self.ids, "-c", "32", says="windows of 64 tokens, not 32")
        self.fails(1, "perplexity", "--kl-reference", ref, "-m", support.MODEL, says="vocabulary")
        for size in (0, 7, 19, 100, len(whole) // 2, len(whole) - 1):
            ref.write_bytes(whole[:size])
            self.fails(1, "perplexity", "--kl-reference", ref, says="ref.bin")
        ref.write_bytes(whole[:8] + b"\xff\xff\xff\x7f" * 3 + whole[20:])
        self.fails(1, "perplexity", "--kl-reference", ref, says="ref.bin")


    def test_ended_by_the_user_leaves_no_file(self):
        ref = self.folder / "ref.bin"
        text = self.folder / "text.txt"
        text.write_text(TEXT * 3000)
        with subprocess.Popen([support.SKALD, "perplexity", "-f", text, "-c", "128", "--save-reference", ref], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as p:
            while not list(self.folder.glob("ref.bin*")) and p.poll() is None:  # it has begun
                time.sleep(0.02)
            p.send_signal(signal.SIGINT)
            out, message = p.communicate(timeout=60)
        self.assertEqual((p.returncode, out), (130, b""), message)
        self.assertEqual(list(self.folder.glob("ref.bin*")), [])


class Imatrix(Measuring):
    def test_is_written_and_described(self):
        path = self.folder / "m.gguf"
        self.assertEqual(self.ok("imatrix", "--ids-file", self.ids, "-c", "64", "-o", path), b"")
        info = json.loads(self.ok("inspect", path, "--json"))
        self.assertEqual(info["metadata"]["general.type"], "imatrix")
        self.assertEqual(info["metadata"]["imatrix.chunk_count"], len(IDS) // 64)
        shapes = {t["name"]: t["shape"] for t in info["tensors"]}
        self.assertEqual(shapes["blk.5.ffn_down.weight.in_sum2"], [704])
        self.assertIn("blk.0.attn_v.weight.counts", shapes)
        self.assertIn("ffn_down", self.ok("imatrix", "--in-file", path, "--show-statistics").decode())

    def test_adds_to_others(self):
        one, two, dat = (self.folder / name for name in ("one.gguf", "two.gguf", "two.dat"))
        collect = ("imatrix", "--ids-file", self.ids, "-c", "64", "--chunks", "2")
        self.ok(*collect, "-o", one)
        self.ok(*collect, "--in-file", one, "-o", two)
        self.ok("imatrix", "--in-file", one, "--in-file", one, "-c", "64", "-o", dat, "--output-format", "dat")
        for path in (two, dat):
            merged = self.folder / "merged.gguf"
            self.ok("imatrix", "--in-file", path, "-c", "64", "-o", merged)
            meta = json.loads(self.ok("inspect", merged, "--json"))["metadata"]
            self.assertEqual(meta["imatrix.chunk_count"], 4, path)

    def test_refuses_what_makes_no_sense(self):
        self.fails(2, "imatrix", says="-f FILE")
        self.fails(2, "imatrix", "--show-statistics", says="--in-file")
        self.fails(2, "imatrix", "-f", "a", "--output-format", "csv", says="csv")
        self.fails(1, "imatrix", "--in-file", support.MODEL, "-o", self.folder / "x", says=support.MODEL.name)
        self.fails(1, "imatrix", "--ids-file", self.ids, "-c", "64", "--chunks", "1", "-o", self.folder / "none/m.gguf", says="none/m.gguf")
        bad = self.folder / "bad.dat"
        for content in (b"", b"\0" * 8, b"\xff" * 64, b"\1\0\0\0\xff\xff\xff\x7f" + b"x" * 100):
            bad.write_bytes(content)
            self.fails(1, "imatrix", "--in-file", bad, "-o", self.folder / "x", says="bad.dat")
        self.assertFalse((self.folder / "x").exists())


class Shards(Measuring):
    def test_make_the_same_file_again(self):
        prefix, merged = self.folder / "part", self.folder / "merged.gguf"
        self.assertEqual(self.ok("split", support.MODEL, prefix, "--split-max-tensors", "5"), b"")
        shards = sorted(self.folder.glob("part-*.gguf"))
        self.assertGreater(len(shards), 2)
        run = ("--prompt-ids", "1,5,9", "-n", "8", "--temp", "0", "--ignore-eos", "--print-ids")
        self.assertEqual(self.ok("run", "-m", shards[1], *run), self.ok("run", "-m", support.MODEL, *run))
        self.assertEqual(self.ok("merge", shards[0], merged), b"")
        self.assertEqual(merged.read_bytes(), support.MODEL.read_bytes())

    def test_are_planned_without_being_written(self):
        out = self.ok("split", support.MODEL, self.folder / "part", "--split-max-size", "1M", "--no-tensor-first-split", "--dry-run")
        self.assertRegex(out.decode().splitlines()[0], r"part-00001-of-0000\d\.gguf: 0 tensors")
        self.assertEqual(list(self.folder.glob("part*")), [])

    def test_refuse_what_makes_no_sense(self):
        for size in ("5", "0M", "-1G", "1T", "99999999999G", "M"):
            self.fails(2, "split", support.MODEL, self.folder / "x", "--split-max-size", size, says="--split-max-size")
        self.fails(2, "split", support.MODEL, self.folder / "x", "--split-max-tensors", "0", says="--split-max-tensors")
        self.fails(2, "split", support.MODEL, self.folder / "x", "--split-max-tensors", "3", "--split-max-size", "1M", says="want one of")
        self.fails(2, "split", support.MODEL)
        self.fails(1, "split", "/nowhere.gguf", self.folder / "x", says="/nowhere.gguf")
        self.fails(1, "merge", support.MODEL, self.folder / "x.gguf", says="not that of a shard")
        self.assertEqual(list(self.folder.glob("x*")), [])


support.main()
