"""Lines on stderr about what is probably not meant, and names from files that reach a terminal."""
import os
import tempfile
from pathlib import Path

import support

GQA = support.DATA / "golden/llama_gqa/model.gguf"  # byte-level BPE with <|begin_of_text|>


def string(data):
    return len(data).to_bytes(8, "little") + data


def replaced(folder, *pairs):
    """The model with other bytes in place of some."""
    data = GQA.read_bytes()
    for old, new in pairs:
        assert data.count(old) == 1 and len(old) == len(new), old
        data = data.replace(old, new)
    path = Path(folder) / "m.gguf"
    path.write_bytes(data)
    return path


class Warnings(support.CliTest):
    def says(self, text, *args, times=1, **env):
        r = support.skald(*args, **env)
        self.assertEqual(r.returncode, 0, r.stderr)
        lines = [line for line in r.stderr.decode().splitlines() if text in line]
        self.assertEqual(len(lines), times, r.stderr)
        return r

    def test_of_states_that_do_not_forget(self):
        run = ("run", "-m", support.DATA / "golden/lfm2/model.gguf", "--prompt-ids", "1,2", "-n", "80", "-c", "64", "--ignore-eos")
        self.says("not the 3 recurrent states", *run, "--context-shift")
        self.says("recurrent states", *run, times=0)

    def test_of_a_context_beyond_the_models(self):
        run = ("run", "-m", support.MODEL, "--prompt-ids", "1,2", "-n", "1")
        self.says("made for contexts of 256", *run, "-c", "4096")
        self.says("made for contexts", *run, "-c", "256", times=0)
        self.says("made for contexts", *run, times=0)
        scaled = ("--rope-scaling", "linear", "--rope-scale", "4")
        self.says("made for contexts", *run, "-c", "1024", *scaled, times=0)
        self.says("made for contexts", *run, "-c", "1025", *scaled)
        self.says("made for contexts", *run, "-c", "1024", "--rope-scaling", "none", "--rope-scale", "4")
        text = self.new_folder() / "text.txt"
        text.write_text("Once upon a time there was a dog. " * 40)
        predict = ("eval", "-m", support.MODEL, "--suite", "perplexity", "-f", text, "--lengths", "200", "-n", "1", "--attn", "dense")
        self.says("more than the 256", *predict)
        self.says("more than the 256", *predict, *scaled, times=0)

    def test_of_more_threads_than_cpus(self):
        n = 64 * (os.cpu_count() or 1)
        r = self.says(f"--threads (-t) {n}: more threads than", "run", "-p", "Once", "-n", "1", "-t", n)
        self.assertNotIn(b"batch", r.stderr)
        self.says("more threads than", "profile", "-p", "2", "-n", "1", "-tb", n)
        for command in (("run", "-p", "x"), ("bench",), ("convert", "a", "b"), ("quantize", "a", "b", "Q8_0"), ("perplexity", "-f", "x")):
            self.fails(2, *command, "-t", "65536", says=("--threads (-t)", "threads"))
            self.fails(2, *command, "-t", "-1", says="--threads (-t)")

    def test_of_two_bos(self):
        for command in (("run", "-n", "1"), ("tokenize",)):
            r = self.says("BOS (<|begin_of_text|>)", *command, "-m", GQA, "-p", "<|begin_of_text|>Once")
            self.says("BOS", *command, "-m", GQA, "-p", "Once", times=0)
            self.says("BOS", *command, "-m", GQA, "-p", "<|begin_of_text|>Once", "--override-kv", "tokenizer.ggml.add_bos_token=bool:false", times=0)
        self.says("BOS", "tokenize", "--no-special", "-m", GQA, "-p", "<|begin_of_text|>Once", times=0)

    def test_of_bpe_without_a_pre_tokenizer(self):
        with tempfile.TemporaryDirectory() as folder:
            path = replaced(folder, (b"tokenizer.ggml.pre\x08", b"tokenizer.ggml.prx\x08"))
            self.says("no key tokenizer.ggml.pre", "run", "-m", path, "-p", "Hello", "-n", "1")
            self.says("no key tokenizer.ggml.pre", "run", "-m", GQA, "-p", "Hello", "-n", "1", times=0)

    def test_of_sparq_without_numbers(self):
        run = ("run", "-p", "Once upon a time", "-n", "8", "--temp", "0", "-s", "1")
        r = self.says("taking --sparq-ratio 4", *run, "--sparq")
        self.assertEqual(r.stdout, self.ok(*run, "--sparq", "--sparq-ratio", "4"))
        self.says("taking", *run, "--sparq", "--k1", "0", "--k2", "0", times=0)

    def test_that_nobody_can_read_change_nothing(self):
        run = ("run", "-p", "Once", "-n", "1", "--temp", "0", "--no-perf", "--sparq", "-t", "4096")
        with open("/dev/full", "wb") as full:
            r = support.subprocess.run([support.SKALD, *run], stdout=support.subprocess.PIPE, stderr=full, env=support.environment())
        self.assertEqual((r.returncode, r.stdout), (0, self.ok(*run)))

    def test_come_at_four_levels(self):
        run = ("run", "-p", "Once", "-n", "1", "--no-perf", "-t", "4096", "--sparq")
        lines = {level: support.skald(*run, SKALD_LOG=level).stderr.decode() for level in ("error", "warn", "info", "debug")}
        self.assertEqual(lines["error"], "")
        self.assertIn("more threads than", lines["warn"])
        self.assertNotIn("info]", lines["warn"])
        self.assertIn("model skald-tiny: llama", lines["info"])
        self.assertNotIn("debug]", lines["info"])
        self.assertIn("words: run --prompt=Once", lines["debug"])
        self.fails(2, "run", says="-p", SKALD_LOG="error")


class Terminals(support.CliTest):
    def printable(self, *args, code=0):
        r = support.skald(*args, SKALD_LOG="debug")
        self.assertEqual(r.returncode, code, r.stderr)
        for byte in (b"\x1b", b"\x07", b"\r"):
            self.assertNotIn(byte, r.stdout + r.stderr, args)

    def test_get_no_controls_from_files(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "m.gguf"
            name = "general.name=str:m\x1b]0;owned\x07\r"
            for command in (("bench", "-p", "2", "-n", "0", "-r", "1", "--roofline-seconds", "0.01"), ("profile", "-p", "2", "-n", "1"), ("kv-size",), ("run", "-p", "x", "-n", "1")):
                self.printable(*command, "--override-kv", name)
                for form in ("csv", "json") if command[0] in ("bench", "profile") else ():
                    self.printable(*command, "--override-kv", name, "-o", form)
            pre = "tokenizer.ggml.pre=str:a\x1b[31m"
            self.printable("run", "-m", GQA, "-p", "x", "-n", "1", "--override-kv", pre, code=1)
            self.printable("run", "-p", "x", "--override-kv", "general.architecture=str:\x1b[31m", code=1)
            self.printable("run", "-p", "x", "-\x1b[31m", code=2)
            path.write_bytes(b"")

    def test_get_no_controls_of_tensors(self):
        with tempfile.TemporaryDirectory() as folder:
            path = replaced(folder, (string(b"blk.0.attn_norm.weight"), string(b"blk.0.attn_norm.\x1b[31m]")[:8 + 22]))
            self.printable("run", "-m", path, "-p", "x", "-n", "1", code=1)
            self.printable("inspect", path)


support.main()
