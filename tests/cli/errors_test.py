"""Exit codes: 2 for wrong usage, 1 for what goes wrong, each with a message on stderr and nothing on stdout."""
import tempfile
from pathlib import Path

import support

RUN = ("run", "-p", "Once", "-n", "1")


class WrongUsage(support.CliTest):
    def wrong(self, *args, says=()):
        self.fails(2, *args, says=says)

    def test_without_or_with_unknown_command_or_flag(self):
        self.wrong()
        self.wrong("sing")
        self.wrong("run", "--sing")
        self.wrong("tokenize", "-p", "a", "left-over")

    def test_values_that_are_no_numbers_or_too_large(self):
        for flag in ("-n", "-c", "-t", "-ub", "--temp", "--top-k", "--top-p", "-s"):
            self.wrong(*RUN, flag, "abc")
        self.wrong(*RUN, "-n", "99999999999")
        self.wrong(*RUN, "-n")

    def test_values_out_of_range_name_the_flag(self):
        for flag, value in (("-n", "-2"), ("--temp", "-1"), ("--temp", "nan"), ("--top-k", "-1"), ("--top-p", "1.5"),
                            ("--min-p", "-0.1"), ("--repeat-penalty", "0"), ("--repeat-last-n", "-2"), ("--keep", "-2"), ("--swa-sinks", "-1")):
            self.wrong(*RUN, flag, value, says=flag if flag != "-n" else "n")
        for flag, value, name in (("-c", "-1", "--ctx-size"), ("-t", "-1", "--threads"), ("-tb", "-1", "--threads-batch"), ("--cpu-range", "x", "--cpu-range"),
                                  ("-Cr", "0-8000", "no such CPU"), ("--cpu-range", "3-1", "ends before"), ("--numa", "mirror", "distribute or isolate"), ("-ub", "0", "--ubatch-size"),
                                  ("-b", "0", "--batch-size"), ("--cache-type-k", "q9", "--cache-type-k"), ("-ctv", "", "--cache-type-v"),
                                  ("--kv-layout", "", "--kv-layout"), ("--kv-layout", "diagonal", "known: auto, dims, planes, rows")):
            self.wrong(*RUN, flag, value, says=name)

    def test_keeping_more_than_a_shifted_context_has_room_for(self):
        shift = ("--context-shift", "-c", "32", "--keep", "-1")
        self.wrong("run", "--prompt-ids", support.comma([5] * 31), *shift, says=("--keep", "31 tokens", "context of 32"))

    def test_prompts_that_are_missing_or_given_twice(self):
        self.wrong("run", says="-p")
        self.wrong("run", "-p", "a", "-f", "b")
        self.wrong("run", "-p", "", "--prompt-ids", "1")
        self.wrong("tokenize")
        self.wrong("tokenize", "-p", "a", "-f", "b")
        self.wrong("detokenize")
        self.wrong("detokenize", "--ids", "1", "--ids-file", "x")

    def test_ids_that_are_none(self):
        self.wrong("run", "--prompt-ids", "1,x", says="'x'")
        self.wrong("run", "--prompt-ids", "1,99999999999", says="99999999999")
        self.wrong("run", "--prompt-ids", ",")
        self.wrong("detokenize", "--ids", "1;2")
        self.wrong("logits", "-o", "x.npy", "--ids", ", ,")

    def test_outputs_that_are_missing(self):
        self.wrong("logits", "--ids", "1", says="-o")
        self.wrong("graph", says="-o")
        self.wrong("inspect", says="model")
        self.wrong("inspect", "x.gguf", "--architectures", says="either a model or --architectures")
        self.wrong("inspect", "--json", "--architectures", says="--json is for a model")
        self.wrong("synth", "--shape", "tinyllama", says="-o")

    def test_bench_and_profile_that_make_no_sense(self):
        self.wrong("bench", "-o", "xml", says=("bench", "json", "svg"))
        self.wrong("bench", "--roofline-seconds", "0", says="--roofline-seconds")
        self.wrong("bench", "-r", "0")
        self.wrong("bench", "-p", "-1")
        self.wrong("bench", "-B", "0", says="-B")
        self.wrong("bench", "-B", "1,-4", says="-B")
        self.wrong("bench", "-B", "1,65", "-ub", "64", says=("65 sequences", "-ub"))
        self.wrong("bench", "--shape", "llama-9", says="llama-2-7b")
        self.wrong("bench", "--shape", "llama-2-7b", "-m", "x.gguf")
        self.wrong("bench", "--shape", "llama-2-7b", "--type", "q99", says="q99")
        self.wrong("bench", "--type", "f16", says="--shape")
        self.wrong("bench", "-ctk", "q9", says="cache-type-k")
        self.wrong("bench", "-p", "8", "kv", says="--n-prompt")
        self.wrong("bench", "kv", "-p", "8", says="-p")
        self.wrong("bench", "kv", "-o", "xml", says=("bench kv", "json"))
        self.wrong("bench", "kv", "-o", "svg", says=("bench kv", "want md, json or csv"))
        self.wrong("bench", "kv", "-r", "0", says="repetitions")
        self.wrong("bench", "kv", "--heads", "0", says="0 heads")
        self.wrong("profile", "-p", "0")
        self.wrong("graph", "-o", "x.dot", "--batch", "0")
        self.wrong("logits", "-o", "x.npy", "--ids", "1", "--decode-from", "-2")

    def test_models_that_cannot_be_made_up(self):
        self.wrong("synth", "-o", "x.gguf", says=("--shape", "llama-2-7b"))
        self.wrong("synth", "--shape", "llama-9", "-o", "x.gguf", says=("llama-9", "llama-2-7b"))
        self.wrong("synth", "--shape", "tinyllama", "--type", "q99", "-o", "x.gguf", says="q99")
        self.wrong("synth", "--shape", "tinyllama", "-o", "/dev/full", says="/dev/full")

    def test_caches_that_cannot_be(self):
        shape = ("kv-size", "--layers", "2", "--heads", "2", "--head-dim", "8")
        self.wrong(*shape, says="-c")
        self.wrong(*shape, "-c", "8", "-m", "x.gguf", says="-m")
        self.wrong("kv-size", "--layers", "2", "-c", "8", says="--heads")
        self.wrong(*shape, "-c", "1", says="context 1")
        self.wrong(*shape, "-c", "8", "--reserve", "1.75", says="1.75")
        self.wrong(*shape, "-c", "8", "--bits", "12", says="bits 12")
        self.wrong(*shape, "-c", str(2**62), says="64 bits")
        self.wrong("kv-size", "--layers", "0", "--heads", "2", "--head-dim", "8", "-c", "8", says="layers 0")


class Failures(support.CliTest):
    def error(self, *args, says=(), **options):
        self.fails(1, *args, says=says, **options)

    def test_models_that_are_missing_or_none(self):
        for command in (RUN, ("bench",), ("kv-size",), ("profile",), ("graph", "-o", "x.dot"), ("tokenize", "-p", "a"),
                        ("logits", "--ids", "1", "-o", "x.npy")):
            self.error(*command, "-m", "/nonexistent.gguf", says="/nonexistent.gguf")
        self.error("inspect", "/nonexistent.gguf", says="/nonexistent.gguf")
        self.error(*RUN, "-m", __file__, says="errors_test.py")
        self.error(*RUN, "-m", "/tmp", says="/tmp")
        self.error(*RUN, "-m", "/dev/null", says="/dev/null")

    def test_prompt_files_that_are_missing_or_folders(self):
        self.error("run", "-n", "1", "-f", "/nonexistent.txt", says="/nonexistent.txt")
        self.error("run", "-n", "1", "-f", "/tmp", says="/tmp")
        self.error("tokenize", "-f", "/nonexistent.txt", says="/nonexistent.txt")

    def test_ids_outside_the_vocabulary(self):
        for id in (-1, 1 << 20):
            self.error("run", "-n", "1", "--prompt-ids", f"1,{id}", says=str(id))
            self.error("run", "-n", "1", "--prompt-ids", f"{id}", says=str(id))
            self.error("detokenize", "--ids", f"{id}", says=str(id))
            self.error("logits", "-o", "x.npy", "--ids", f"{id}", says=str(id))

    def test_prompts_longer_than_the_context(self):
        self.error("run", "-p", "Once upon a time", "-c", "4", says=("tokens", "context 4"))

    def test_outputs_that_cannot_be_written(self):
        self.error("logits", "--ids", "1", "-o", "/nonexistent/x.npy", says="/nonexistent/x.npy")
        self.error("graph", "-o", "/nonexistent/x.dot", says="/nonexistent/x.dot")
        self.error("synth", "--shape", "tinyllama", "-o", "/nonexistent/x.gguf", says="/nonexistent/x.gguf")

    def test_a_full_disk_under_stdout(self):
        for command in (RUN, ("tokenize", "-p", "a"), ("--help",), ("inspect", support.MODEL)):
            with open("/dev/full", "wb") as full:
                r = support.subprocess.run([support.SKALD, *map(str, command)], stdout=full, stderr=support.subprocess.PIPE)
            self.assertEqual(r.returncode, 1, command)
            self.assertTrue(r.stderr, command)

    def test_instruction_sets_that_are_unknown(self):
        self.error(*RUN, SKALD_ISA="nonsense", says=("nonsense", "scalar", "avx2"))

    def test_models_without_a_tokenizer_where_one_is_needed(self):
        with tempfile.TemporaryDirectory() as folder:
            data = support.MODEL.read_bytes().replace(b"tokenizer.ggml.model", b"tokenizer.ggml.modex")
            path = Path(folder) / "m.gguf"
            path.write_bytes(data)
            self.error("run", "-m", path, "-p", "a", "-n", "1", says="tokenizer")
            self.assertEqual(len(self.ids("-m", path, "--prompt-ids", "1,5", "-n", "3", "--temp", "0", "--ignore-eos")), 3)


support.main()
