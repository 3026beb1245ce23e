"""tokenize, detokenize, inspect, kv-size, graph, logits, profile and bench as programs see them."""
import json
import math
import re
import resource
import shutil
import signal
import struct
import subprocess
import tempfile
import time
from pathlib import Path

import support


def read_npy(path):
    """Shape and float32 values of a .npy file, by the letter of its format."""
    data = path.read_bytes()
    assert data[:8] == b"\x93NUMPY\x01\x00"
    (length,) = struct.unpack_from("<H", data, 8)
    assert (10 + length) % 64 == 0
    header = data[10:10 + length].decode("latin-1")
    match = re.fullmatch(r"\{'descr': '<f4', 'fortran_order': False, 'shape': \((\d+), (\d+)\), \} *\n", header)
    shape = int(match[1]), int(match[2])
    return shape, struct.unpack_from(f"<{shape[0] * shape[1]}f", data, 10 + length)


class Tokens(support.CliTest):
    TEXTS = ("Once upon a time", "  two  spaces\n\nand lines\t", "café, naïve, 日本語 😀", "don't stop: 3.14!", " ")

    def test_make_a_round_trip_through_a_pipe(self):
        for text in self.TEXTS:
            for model in ((), ("-m", support.DATA / "golden/tokenizers/llama3/vocab.gguf")):
                ids = self.ok("tokenize", *model, "--ids", "-p", text)
                self.assertEqual(self.ok("detokenize", *model, "--ids-file", "-", stdin=ids).decode(), text + "\n")

    def test_of_ids_are_one_line_of_numbers(self):
        for story in support.STORIES:
            text, ids = story["prompt"], story["ids"]
            line = " ".join(map(str, ids)) + "\n"
            self.assertEqual(self.ok("tokenize", "--ids", "-p", text).decode(), line)
            self.assertEqual(self.ok("tokenize", "--ids", "-f", "-", stdin=text.encode()).decode(), line)
            self.assertEqual(self.ok("tokenize", "--ids", "--no-special", "-p", text).decode(), line.split(" ", 1)[1])

    def test_are_listed_with_their_text(self):
        lines = self.ok("tokenize", "-p", "Once upon\n").decode().splitlines()
        self.assertEqual(len(lines), len(self.ok("tokenize", "--ids", "-p", "Once upon\n").split()))
        self.assertRegex(lines[0], r'^ +\d+  "<\|endoftext\|>"$')
        self.assertEqual("".join(json.loads(line.split("  ")[-1]) for line in lines[1:]), "Once upon\n")

    def test_that_are_special_show_only_on_request(self):
        ids = ("--ids", support.comma(support.STORIES[0]["ids"]))
        text = support.STORIES[0]["prompt"]
        self.assertEqual(self.ok("detokenize", *ids).decode(), text + "\n")
        self.assertEqual(self.ok("detokenize", *ids, "--special").decode(), f"<|endoftext|>{text}\n")


class Inspect(support.CliTest):
    def test_lists_metadata_and_tensors(self):
        self.assertIn("| gpt2 ", self.ok("inspect", "--architectures").decode())
        text = self.ok("inspect", support.MODEL).decode()
        for word in ("general.architecture", "llama", "token_embd.weight", "q8_0"):
            self.assertIn(word, text)

    def test_json_parses_and_adds_up(self):
        info = json.loads(self.ok("inspect", support.MODEL, "--json"))
        self.assertEqual(info["metadata"]["general.architecture"], "llama")
        self.assertEqual(info["parameters"], sum(math.prod(t["shape"]) for t in info["tensors"]))
        self.assertEqual(info["file_bytes"], support.MODEL.stat().st_size)


class KvSize(support.CliTest):
    SHAPE = ("--layers", "32", "--heads", "32", "--head-dim", "128", "-c", "2048", "--bits", "16")

    def test_of_a_shape_begins_with_the_bytes(self):
        for reserve, want in (("2.0", "2,146,435,072 bytes"), ("1.5", "1,609,826,304 bytes")):
            lines = self.ok("kv-size", *self.SHAPE, "--reserve", reserve).decode().splitlines()
            self.assertEqual(lines[0], want)
            size = json.loads(self.ok("kv-size", *self.SHAPE, "--reserve", reserve, "--json"))
            self.assertEqual(f"{size['bytes']:,} bytes", want)

    def test_of_a_model_has_its_layers(self):
        meta = json.loads(self.ok("inspect", support.MODEL, "--json"))["metadata"]
        size = json.loads(self.ok("kv-size", "-m", support.MODEL, "-c", "64", "--json"))
        self.assertEqual(len(size["layers"]), meta["llama.block_count"])
        d_model, heads = meta["llama.embedding_length"], meta["llama.attention.head_count"]
        kv = meta.get("llama.attention.head_count_kv", heads) * d_model // heads  # numbers of a layer's keys
        self.assertEqual(size["bytes"], 2 * meta["llama.block_count"] * 2 * 63 * kv * 2)
        self.assertEqual(json.loads(self.ok("kv-size", "-m", support.MODEL, "--json"))["context"], meta["llama.context_length"])


class Files(support.CliTest):
    def setUp(self):
        self.folder = self.new_folder()

    def test_graph_is_what_graphviz_reads(self):
        path = self.folder / "g.dot"
        self.assertEqual(self.ok("graph", "-o", path), b"")
        self.assertTrue(path.read_text().startswith("digraph"))
        if shutil.which("dot"):
            svg = subprocess.run(["dot", "-Tsvg", path], capture_output=True, timeout=60)
            self.assertEqual(svg.returncode, 0, svg.stderr)
            self.assertIn(b"</svg>", svg.stdout)

    def test_logits_are_the_same_by_prefill_and_by_decode(self):
        ids = support.comma(support.STORIES[1]["ids"])
        paths = self.folder / "prefill.npy", self.folder / "decode.npy", self.folder / "file.npy"
        exact = "--cache-type-k", "f32", "--cache-type-v", "f32"
        self.assertEqual(self.ok("logits", "--ids", ids, *exact, "-o", paths[0]), b"")
        self.ok("logits", "--ids", ids, *exact, "--decode-from", "3", "-o", paths[1])
        self.ok("logits", "--ids-file", "-", *exact, "-o", paths[2], stdin=ids.replace(",", "\n").encode())
        (n_tokens, n_vocab), values = read_npy(paths[0])
        self.assertEqual(n_tokens, len(support.STORIES[1]["ids"]))
        self.assertGreater(n_vocab, 256)
        self.assertTrue(all(map(math.isfinite, values)))
        self.assertEqual(paths[0].read_bytes(), paths[1].read_bytes())
        self.assertEqual(paths[0].read_bytes(), paths[2].read_bytes())

    def test_logits_lead_to_the_greedy_ids(self):
        path = self.folder / "x.npy"
        prompt = support.comma(support.STORIES[0]["ids"])
        self.ok("logits", "--ids", prompt, "-o", path)
        (_, n_vocab), values = read_npy(path)
        row = values[-n_vocab:]
        (first,) = self.ids("--prompt-ids", prompt, "-n", "1", "--temp", "0", "--ignore-eos")
        self.assertEqual(row.index(max(row)), first)


class Pack(support.CliTest):
    def test_writes_a_model_that_runs_alike(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "packed.gguf"
            self.assertEqual(self.ok("pack", support.MODEL, path), b"")
            args = ("-p", "Once upon a time", "-n", "12", "--temp", "0")
            self.assertEqual(self.ok("run", "-m", path, *args), self.ok("run", "-m", support.MODEL, *args))
            self.assertIn(b"q8_0x16", self.ok("inspect", path))

    def test_names_what_cannot_be_read(self):
        r = support.skald("pack", "/nowhere/m.gguf", "/tmp/never.gguf")
        self.assertEqual(r.returncode, 1)
        self.assertIn("/nowhere/m.gguf", r.stderr.decode())


class Synth(support.CliTest):
    def setUp(self):
        self.path = self.new_folder() / "m.gguf"

    def test_writes_a_model_that_runs(self):
        self.assertEqual(self.ok("synth", "--shape", "stories-15m", "--type", "q4_0", "-o", self.path), b"")
        info = json.loads(self.ok("inspect", self.path, "--json"))
        self.assertEqual(info["parameters"], 15191712)
        self.assertTrue(self.ok("run", "-m", self.path, "-p", "Any text", "-n", "4").startswith(b"Any text"))

    def test_leaves_nothing_behind_on_a_full_disk(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))  # as close to a full disk as a test may come

        r = subprocess.run([support.SKALD, "synth", "--shape", "stories-15m", "-o", self.path], capture_output=True,
                           timeout=60, preexec_fn=limit, restore_signals=False)  # Python ignores SIGXFSZ, and so shall skald
        self.assertEqual(r.returncode, 1)
        self.assertIn(f"cannot write {self.path}", r.stderr.decode())
        self.assertEqual(list(self.path.parent.iterdir()), [])

    def test_leaves_nothing_behind_when_interrupted(self):
        process = subprocess.Popen([support.SKALD, "synth", "--shape", "llama-2-7b", "-o", self.path])
        while process.poll() is None and not list(self.path.parent.iterdir()):
            time.sleep(0.005)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(timeout=60), 130)
        self.assertEqual(list(self.path.parent.iterdir()), [])


class Speed(support.CliTest):
    KEYS = set("test n_tokens depth batch ubatch threads tokens_per_s stddev gb_per_s gflop_per_s bandwidth_share compute_share model type peak_bytes"
               .split())

    def test_profile_lists_operations_of_both_phases(self):
        text = self.ok("profile", "-p", "16", "-n", "4", "-t", "2").decode()
        for word in ("Prefill of 16 tokens", "Decode of 4 tokens", "| attention ", "| linear q8_0 ", "| total ", "2 threads", "| waiting "):
            self.assertIn(word, text)

    def test_profile_names_the_threads_of_each_phase(self):
        text = self.ok("profile", "-p", "16", "-n", "4", "-t", "1", "-tb", "2").decode()
        self.assertIn("Prefill of 16 tokens, 2 threads", text)
        self.assertIn("Decode of 4 tokens, 1 threads", text)

    def test_bench_json_has_a_row_for_each_test(self):
        r = support.skald("bench", "-p", "16", "-n", "4", "-d", "0,64", "-r", "1", "-t", "2", "--roofline-seconds", "0.05", "-o", "json")
        self.assertEqual((r.returncode, r.stderr), (0, b""))
        rows = json.loads(r.stdout)
        self.assertEqual([(x["test"], x["n_tokens"], x["depth"]) for x in rows],
                         [("pp", 16, 0), ("tg", 4, 0), ("pp", 16, 64), ("tg", 4, 64)])
        for row in rows:
            self.assertLessEqual(self.KEYS, set(row))
            self.assertGreater(row["tokens_per_s"], 0)

    def test_bench_times_decoding_dense_and_sparse(self):
        args = ("bench", "-p", "0", "-n", "2", "-d", "512,1024", "-r", "2", "-t", "1", "--sparq", "--k1", "4", "--k2", "64",
                "--roofline-seconds", "0.05")
        rows = json.loads(self.ok(*args, "-o", "json"))
        self.assertEqual([(x["depth"], x["attention"], x["k1"], x["k2"]) for x in rows],
                         [(512, "dense", 0, 0), (512, "sparq", 4, 64), (1024, "dense", 0, 0), (1024, "sparq", 4, 64)])
        for dense, sparse in zip(rows[::2], rows[1::2]):
            self.assertAlmostEqual(sparse["speedup"], sparse["tokens_per_s"] / dense["tokens_per_s"], places=6)
            self.assertGreater(sparse["transfer_speedup"], 1)
        texts = support.svg_texts(self.ok(*args, "-o", "svg"))
        for text in ("512", "1k", "tokens/s", "tg 2, dense", "tg 2, sparq", "tg 2, sparq by bytes moved"):
            self.assertIn(text, texts)

    def test_bench_sweeps_sequences_that_decode_together(self):
        args = ("bench", "-p", "16", "-n", "4", "-B", "1,2,4", "-ub", "8", "-r", "1", "-t", "2", "--roofline-seconds", "0.05")
        rows = json.loads(self.ok(*args, "-o", "json"))
        self.assertEqual([(x["test"], x["batch"], x["ubatch"]) for x in rows],
                         [("pp", 1, 8), ("tg", 1, 8), ("tg", 2, 8), ("tg", 4, 8)])
        self.assertIn("| batch | ubatch | threads |", self.ok(*args).decode())
        self.assertIn("tg 4, 4 sequences", support.svg_texts(self.ok(*args, "-o", "svg")))

    def test_bench_draws_a_curve_for_each_test(self):
        texts = support.svg_texts(self.ok("bench", "-p", "8", "-n", "2", "-d", "0,64", "-r", "1", "-t", "1", "-o", "svg"))
        for text in ("pp 8", "tg 2", "0", "tokens/s"):
            self.assertIn(text, texts)

    def test_bench_kv_compares_three_methods(self):
        r = support.skald("bench", "kv", "--layers", "1", "--heads", "2", "--head-dim", "8", "-c", "17", "-r", "2", "-o", "json")
        self.assertEqual((r.returncode, r.stderr), (0, b""))
        rows = {row["method"]: row for row in json.loads(r.stdout)}
        row_set = 2 * 2 * 8 * 2  # K and V, heads, numbers, bytes
        self.assertEqual({name: row["copied_bytes_per_token"] for name, row in rows.items()},
                         {"memmove": 16 * row_set, "reserve 2.0": row_set, "reserve 1.5": 2 * row_set})


support.main()
