"""Flags and variables of llama.cpp: what has a meaning here does it, the rest is taken where it changes nothing, or refused."""
import support

GO = ("run", "-p", "Once", "--temp", "0", "--print-ids", "--ignore-eos", "-n", "3")
SAME = (["-fa", "on"], ["-fa"], ["-fa", "off"], ["--flash-attn", "auto"], ["-cb"], ["-nocb"], ["-ngl", "0"], ["-ngl", "99"], ["--n-gpu-layers", "all"],
        ["-np", "1"], ["-nkvo"], ["--no-host"], ["--jinja"], ["-no-cnv"], ["--poll", "50"], ["--prio", "2"], ["--mirostat", "0"], ["--typical", "1.0"],
        ["-nr"], ["--repack"], ["-lm", "none"], ["-lm", "mmap"], ["-lm", "dio"], ["--load-mode", "auto"], ["--warmup"], ["--perf"], ["--no-perf"], ["-e"],
        ["--rope-scale", "0"])
REFUSED = (["-cnv"], ["-hft", "x"], ["-np", "4"], ["--in-prefix", "x"], ["-dev", "CUDA0"],
           ["--mmproj", "x"], ["-C", "0xf"], ["--port", "80"], ["-i"], ["-ngl", "many"], ["-fa", "perhaps"], ["-lm", "tape"])


class Flags(support.CliTest):
    def test_that_change_nothing_are_taken(self):
        want = self.ok(*GO)
        for flags in SAME:
            self.assertEqual(self.ok(*GO, *flags), want, flags)

    def test_that_have_no_meaning_are_refused_by_name(self):
        for flags in REFUSED:
            self.fails(2, *GO, *flags, says=flags[0])

    def test_that_want_a_value_say_so(self):
        for flag in ("-ngl", "-hft", "--poll"):
            self.fails(2, *GO, flag, says=f"{flag} wants a value")

    def test_of_devices_say_that_there_is_none(self):
        r = support.skald(*GO, "-ngl", "99")
        self.assertIn("-ngl 99: there is no GPU device", r.stderr.decode())
        self.assertNotIn("GPU", support.skald(*GO, "-ngl", "0").stderr.decode())

    def test_of_timings(self):
        self.assertEqual(support.skald(*GO, "--no-perf").stderr, b"")

    def test_of_rope_are_overrides(self):
        for flags, override in ((("--rope-freq-base", "500"), ("llama.rope.freq_base=float:500",)),
                                (("--rope-scaling", "linear", "--rope-scale", "4"), ("llama.rope.scaling.type=str:linear", "llama.rope.scaling.factor=float:4")),
                                (("--rope-scaling", "linear", "--rope-freq-scale", "0.25"), ("llama.rope.scaling.type=str:linear", "llama.rope.scaling.factor=float:4")),
                                (("--rope-scaling", "yarn", "--rope-scale", "4", "--yarn-orig-ctx", "32", "--yarn-ext-factor", "0.5", "--yarn-beta-fast", "20", "--yarn-beta-slow", "2", "--yarn-attn-factor", "1.5"),
                                 ("llama.rope.scaling.type=str:yarn", "llama.rope.scaling.factor=float:4", "llama.rope.scaling.original_context_length=int:32", "llama.rope.scaling.yarn_ext_factor=float:0.5",
                                  "llama.rope.scaling.yarn_beta_fast=float:20", "llama.rope.scaling.yarn_beta_slow=float:2", "llama.rope.scaling.yarn_attn_factor=float:1.5"))):
            ids = ("perplexity", "-m", support.MODEL, "--ids-file", "-", "-c", "16", "-o", "csv")
            words = [w for o in override for w in ("--override-kv", o)]
            text = support.comma(i % 400 for i in range(64)).encode()
            got = self.ok(*ids, *flags, stdin=text)
            self.assertEqual(got, self.ok(*ids, *words, stdin=text), flags)
            self.assertNotEqual(got, self.ok(*ids, stdin=text), flags)

    def test_of_rope_that_make_no_sense(self):
        for flags in (("--rope-scaling", "cubic"), ("--rope-freq-base", "-3"), ("--rope-scale", "nan"), ("--yarn-orig-ctx", "-1"), ("--yarn-beta-fast", "0")):
            self.fails(2, *GO, *flags, says=flags[0])
        self.fails(2, *GO, "--rope-scale", "2", "--rope-freq-scale", "0.5", says="--rope-freq-scale")


class Environment(support.CliTest):
    def said(self, *args, **env):
        r = support.skald(*args, **env)
        self.assertEqual(r.returncode, 0, r.stderr)
        lines = [line for line in r.stderr.decode().splitlines() if "environment" in line]
        self.assertLessEqual(len(lines), 1)
        return r.stdout, lines[0] if lines else ""

    def test_has_a_twin_of_flags(self):
        want = self.ok(*GO)
        go = ("run", "-p", "Once", "--print-ids", "--ignore-eos")
        out, line = self.said(*go, SKALD_N_PREDICT="3", LLAMA_ARG_TEMPERATURE="0", LLAMA_ARG_CTX_SIZE="64")
        self.assertEqual(out, want)
        for text in ("SKALD_N_PREDICT=3 (--n-predict)", "LLAMA_ARG_TEMPERATURE=0", "LLAMA_ARG_CTX_SIZE=64 (--ctx-size)"):
            self.assertIn(text, line)
        out, _ = self.said(SKALD_PROMPT="Once", SKALD_TEMP="0", SKALD_PRINT_IDS="1", SKALD_IGNORE_EOS="on", LLAMA_ARG_N_PREDICT="3", *("run",))
        self.assertEqual(out, want)

    def test_yields_to_the_command_line(self):
        out, line = self.said(*GO, SKALD_N_PREDICT="1", LLAMA_ARG_N_PREDICT="2", SKALD_PRINT_IDS="0")
        self.assertEqual((out, line), (self.ok(*GO), ""))
        out, line = self.said(*GO[:-2], SKALD_N_PREDICT="3", LLAMA_ARG_N_PREDICT="2")
        self.assertEqual(out, self.ok(*GO))

    def test_of_switches_is_on_or_off(self):
        for env in ({"LLAMA_ARG_MMAP": "0"}, {"LLAMA_ARG_NO_MMAP": "1"}, {"SKALD_MMAP": "off"}, {"SKALD_NO_REPACK": "true"}, {"SKALD_NO_FUSED": "0"}):
            out, line = self.said(*GO, **env)
            self.assertIn(next(iter(env)), line)
        self.fails(2, *GO, SKALD_MMAP="maybe", says="SKALD_MMAP=maybe")
        self.fails(2, *GO[:-2], SKALD_N_PREDICT="many", says="--predict")

    def test_that_is_empty_is_none(self):
        self.assertEqual(self.said(*GO, SKALD_MODEL="", LLAMA_ARG_MODEL="")[1], "")

    def test_of_flags_without_meaning_is_told(self):
        r = support.skald(*GO, LLAMA_ARG_N_GPU_LAYERS="99", LLAMA_ARG_DOCKER_REPO="a/b", LLAMA_ARG_FLASH_ATTN="on")
        self.assertEqual(r.stdout, self.ok(*GO))
        for text in ("-ngl 99: there is no GPU", "LLAMA_ARG_DOCKER_REPO=a/b: not supported"):
            self.assertIn(text, r.stderr.decode())
        self.assertNotIn("FLASH", r.stderr.decode())
        self.assertNotIn(b"GPU", support.skald(*GO, "-ngl", "0", LLAMA_ARG_N_GPU_LAYERS="99").stderr)

    def test_twins_are_in_every_command(self):
        self.assertEqual(self.ok("tokenize", "--ids", SKALD_PROMPT="Once"), self.ok("tokenize", "--ids", "-p", "Once"))
        self.assertIn(b"q8_0", self.ok("kernels", "q8_0", SKALD_OUTPUT="json"))


support.main()
