"""The words of a command line: flags that are known or not, their order and values, escapes."""
import tempfile
from pathlib import Path

import support

GO = ("run", "-p", "Once", "--temp", "0", "--print-ids", "--ignore-eos")
THREE = (*GO, "-n", "3")
COMMANDS = ("bench", "convert", "detokenize", "export-lora", "graph", "imatrix", "inspect", "kernels", "kv-size", "logits", "merge", "pack",
            "perplexity", "profile", "quantize", "run", "split", "synth", "tokenize")


class Commands(support.CliTest):
    def test_are_listed_without_one(self):
        self.fails(2, says=COMMANDS)

    def test_that_are_mistyped_have_a_suggestion(self):
        for typed, meant in (("rnu", "run"), ("Run", "run"), ("quantise", "quantize"), ("convrt", "convert"), ("tokenise", "tokenize"), ("perplexty", "perplexity")):
            self.fails(2, typed, "-p", "x", says=("unknown", f"'{typed}'", f"did you mean {meant}?"))
        self.fails(2, "sing", says=COMMANDS)
        self.fails(2, "-p", "x", says=("unknown flag '-p'", "run"))
        self.fails(2, "--versoin", says="did you mean --version?")
        self.fails(2, "run", "--version", says="skald --version")

    def test_of_other_programs_are_known(self):
        self.assertEqual(self.ok("help", "run"), self.ok("run", "--help"))
        self.assertEqual(self.ok("help", "bench", "kv"), self.ok("bench", "kv", "--help"))
        self.assertEqual(self.ok("help"), self.ok("--help"))
        self.assertEqual(self.ok("version"), self.ok("--version"))
        self.assertEqual(self.ok("ls"), self.ok("list"))
        self.fails(2, "help", "rnu", says="did you mean run?")
        self.fails(2, "run", "-m", support.MODEL, says="skald chat")

    def test_inside_others_are_found(self):
        self.fails(2, "bench", "vk", says=("'vk'", "did you mean kv?"))


class Flags(support.CliTest):
    def test_that_are_unknown_are_named(self):
        for flag in ("-x", "-xyz", "-nn", "-zt4", "--sing", "-1", "--", "--=1", "-=", "---n"):
            words = (*THREE, flag) if flag != "--" else (*THREE, "--", "model", "-y")
            self.fails(2, *words, says=("unknown flag " + flag.split("=")[0] if flag != "--" else "-y",))

    def test_that_are_mistyped_have_a_suggestion(self):
        for typed, meant in (("--tmep", "--temp"), ("--top_k", "--top-k"), ("--ctxsize", "--ctx-size"), ("-n5", "'-n 5'"), ("-t4", "'-t 4'")):
            self.fails(2, *THREE, typed, "1", says=("unknown flag " + typed, f"did you mean {meant}?"))
        self.fails(2, "bench", "--top-k", "1", says=("unknown flag --top-k", "flag of batch, bench sampling, chat, run, sample, serve"))

    def test_are_never_letters_glued_to_another(self):
        for command in (("run",), ("bench",), ("tokenize",), ("convert",), ("quantize",), ("perplexity",), ("bench", "kv"), ("kernels",)):
            for word in ("-hx", "-mx", "-px", "-th", "-hh", "-oh"):
                r = support.skald(*command, word, "x")
                self.assertEqual(r.returncode, 2, (command, word))
                self.assertEqual(r.stdout, b"")
                self.assertRegex(r.stderr.decode(), rf"unknown flag {word}\b|{word} x: not supported")

    def test_given_twice_count_as_the_last(self):
        want = self.ok(*THREE)
        for words in (("-n", "1", "-n", "3"), ("--predict", "1", "-n", "2", "--n-predict", "3"), ("-n", "3", "--temp", "9", "--temperature", "0"),
                      ("-n", "3", "--no-mmap", "--mmap"), ("-n", "3", "-p", "Twice", "-p", "Once")):
            self.assertEqual(self.ok(*GO, *words), want, words)
        self.assertEqual(self.ok("run", "-p", "Once", "-n", "0", "--no-display-prompt", "--display-prompt"), b"Once\n")
        self.assertEqual(self.ok("run", "-p", "Once", "-n", "0", "--display-prompt", "--no-display-prompt"), b"\n")

    def test_that_are_lists_add_up(self):
        r = self.ok("bench", "-p", "2", "-p", "3,4", "-n", "0", "-r", "1", "--roofline-seconds", "0.01").decode()
        for test in ("pp 2", "pp 3", "pp 4"):
            self.assertIn(test, r)

    def test_have_values_of_any_kind(self):
        self.assertEqual(self.ok("run", "-n", "0", "-p", "--help me"), b"--help me\n")
        self.assertEqual(self.ok("run", "-n", "0", "-p", "[a,b]"), b"[a,b]\n")
        self.assertEqual(self.ok("run", "-n=0", "--prompt=a=b"), b"a=b\n")
        self.assertEqual(self.ok("run", "-n", "0", "-p=-n"), b"-n\n")
        self.fails(2, "run", "-p", "-n", "3", says=("-p wants a value", "-n is a flag"))
        self.fails(2, "run", "-p", "x", "-n", says="-n wants a value")
        self.fails(2, "run", "-p", "x", "--print-ids=1", says="--print-ids takes no value")

    def test_that_are_empty_are_named(self):
        for flag in ("-m", "--model", "-f", "-n", "-ctk", "--prompt-ids", "--override-kv", "--temp", "--kv-scale", "--cpu-range"):
            self.fails(2, "run", flag, "", says=(flag, "empty"))
        self.fails(2, "bench", "-p", ",", says=("-p", "empty"))
        self.fails(2, "convert", "", "x", says="in: the argument is empty")
        self.fails(2, "convert", "x", "", says="out: the argument is empty")
        self.fails(2, "quantize", "x", "", "Q8_0", says="out: the argument is empty")
        self.fails(2, "inspect", "", says="model: the argument is empty")

    def test_that_are_left_over_are_named(self):
        self.fails(2, *THREE, "model", "left-over", says="'left-over'")
        self.fails(2, "convert", "a", "b", "c", says="'c'")
        self.fails(2, "convert", "a", says=("convert", "out"))


class Numbers(support.CliTest):
    def test_are_decimal(self):
        self.assertEqual(self.ok(*GO, "-n", "010"), self.ok(*GO, "-n", "10"))
        self.assertEqual(self.ok(*GO, "-n", "08"), self.ok(*GO, "-n", "8"))
        self.assertIn(b"seed 10\n", support.skald("run", "-p", "Once", "-n", "1", "-s", "010").stderr)
        self.assertEqual(self.ok(*THREE, "--top-k", "0040", "--top-p", "00.95"), self.ok(*THREE))

    def test_that_are_none_name_the_flag(self):
        for value in ("0x10", "1e3", "3 ", "ten", "1.5", "--", "9" * 30):
            self.fails(2, "run", "-p", "x", "-n", value, says="--predict")


class Escapes(support.CliTest):
    def ids_of(self, *args):
        return self.ok("tokenize", "--ids", *args)

    def test_of_a_prompt_are_replaced(self):
        for flags in ((), ("-e",), ("--escape",), ("--no-escape", "-e")):
            self.assertEqual(self.ids_of(*flags, "-p", "a\\nb\\t\\\\"), self.ids_of("--no-escape", "-p", "a\nb\t\\"))
        self.assertEqual(self.ok("run", "-n", "0", "-p", "a\\nb"), b"a\nb\n")
        self.assertEqual(self.ok("run", "-n", "0", "--no-escape", "-p", "a\\nb"), b"a\\nb\n")

    def test_of_a_file_stay(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "t"
            path.write_text("a\\nb")
            self.assertEqual(self.ids_of("-f", path), self.ids_of("--no-escape", "-p", "a\\nb"))
            self.assertEqual(self.ok("run", "-n", "0", "-f", path), b"a\\nb\n")

    def test_one_newline_at_the_end_of_a_file_is_no_prompt(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "t"
            for text, prompt in ((b"a\n", b"a"), (b"a\n\n", b"a\n"), (b"a", b"a"), (b"\na", b"\na")):
                path.write_bytes(text)
                self.assertEqual(self.ok("run", "-n", "0", "-f", path), prompt + b"\n")
                self.assertEqual(self.ok("run", "-n", "0", "-f", "-", stdin=text), prompt + b"\n")


support.main()
