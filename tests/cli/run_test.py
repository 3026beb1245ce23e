"""skald run: what it prints where, seeds, prompts of any kind, and the same greedy ids on every instruction set."""
import contextlib
import os
import pty
import re
import subprocess
import tempfile
from pathlib import Path

import support

STORY = ("-p", "Once upon a time", "-n", "24", "--ignore-eos")
GREEDY = (*STORY, "--temp", "0")
PROMPT_IDS = next(s["ids"] for s in support.STORIES if s["prompt"] == "Once upon a time")


class Output(support.CliTest):
    def test_one_flag_sets_both_types_of_the_cache(self):
        for flags, want in ((("-ct", "small"), "keys kc4 by dims, values q8_0 rotated"), (("-ct", "f32"), "keys f32"),
                            (("--cache-type", "small", "-ctv", "f16"), "values f16"), (("-ctk", "f16", "-ct", "small"), "keys f16")):
            said = support.skald("run", "-p", "Once", "-n", "2", "--kv-report", *flags).stderr.decode()
            self.assertIn(want, said)
        self.fails(2, "run", "-p", "Once", "-ct", "tiny", says="tiny")

    def test_is_the_prompt_and_its_continuation_on_stdout_and_timings_on_stderr(self):
        r = support.skald("run", *GREEDY)
        text = r.stdout.decode()
        self.assertTrue(text.startswith("Once upon a time") and len(text) > 40, text)
        self.assertTrue(text.endswith("\n") and not text.endswith("\n\n"))
        self.assertRegex(r.stderr.decode(), r"prompt: +\d+ tokens in .*tokens/s\ngenerate: +23 tokens in .*tokens/s\nmemory: .*seed")

    def test_accounts_for_its_memory(self):
        mib = r"\d+\.\d MiB"
        story = ("run", *GREEDY, "-ctk", "q8_0", "-ctv", "q4_0")
        r = support.skald(*story, "--kv-report").stderr.decode()
        self.assertRegex(r, rf"memory: +weights {mib}, keys {mib}, values {mib}, index {mib}, work {mib}; peak {mib}; seed")
        self.assertRegex(r, r"KV cache: keys q8_0 by rows rotated, values q4_0 rotated.*\n(.*\n){2}\| +6 \| all +\| +1 \|")
        self.assertNotIn("rotated", support.skald(*story, "--kv-report", "--no-kv-rotate").stderr.decode())
        self.assertNotIn("KV cache:", support.skald(*story).stderr.decode())

    def test_accounts_for_the_states_of_recurrent_layers(self):
        model = support.DATA / "golden/qwen35/model.gguf"
        r = support.skald("run", "-m", model, "--prompt-ids", "1,2,3", "-n", "2", "--print-ids", "--kv-report").stderr.decode()
        self.assertRegex(r, r"index \d+\.\d MiB, states \d+\.\d MiB, work")
        self.assertRegex(r, r"states: +6 of recurrent layers, \d+\.\d+ MiB of each sequence")
        self.fails(1, "kv-size", "-m", model, says="recurrent layers")

    def test_of_every_cache_type_and_layout_is_a_story(self):
        for kind in ("f32", "f16", "bf16", "q8_0", "q4_0"):
            for more in ((), ("--kv-layout", "rows"), ("--kv-layout", "dims"), ("--no-kv-rotate",)):
                self.assertEqual(len(self.ids(*GREEDY, "-ctk", kind, "-ctv", kind, *more)), 24)

    def test_of_print_ids_is_only_ids(self):
        out = self.ok("run", "--print-ids", "-p", "Once upon a time", "--temp", "0", "-n", "32").decode()
        self.assertRegex(out, r"^\d+( \d+){31}\n$")

    def test_of_no_display_prompt_is_the_continuation(self):
        whole, rest = self.ok("run", *GREEDY), self.ok("run", *GREEDY, "--no-display-prompt")
        self.assertEqual(whole, b"Once upon a time" + rest)

    def test_is_the_detokenized_ids(self):
        ids = ",".join(map(str, self.ids(*GREEDY)))
        self.assertEqual(self.ok("run", *GREEDY, "--no-display-prompt"), self.ok("detokenize", "--ids", ids))

    def test_of_no_tokens_is_the_prompt(self):
        self.assertEqual(self.ok("run", "-p", "Once", "-n", "0"), b"Once\n")
        self.assertEqual(self.ids("-p", "Once", "-n", "0"), [])

    def test_ends_where_the_model_ends_the_text_or_the_context_is_full(self):
        self.assertLess(len(self.ids("-p", "Once upon a time", "-s", "1", "-c", "4096")), 4000)
        for off in ((), ("--no-context-shift", "--keep", "4")):
            self.assertEqual(len(self.ids("-p", "Once upon a time", "-c", "40", "--ignore-eos", *off)), 40 - len(PROMPT_IDS))

    def test_goes_on_past_a_context_that_is_shifted(self):
        for keep in ("0", "4", "-1", "1000"):
            shift = ("-c", "40", "--context-shift", "--keep", keep, "--ignore-eos", "--temp", "0")
            ids = self.ids("-p", "Once upon a time", "-n", "200", *shift)
            self.assertEqual(len(ids), 200)
            self.assertEqual(ids[:40 - len(PROMPT_IDS)], self.ids("-p", "Once upon a time", "--temp", "0", "-c", "40", "--ignore-eos"))


class Repetition(support.CliTest):
    def test_of_a_seed_gives_the_same_text_whatever_the_threads_and_batch(self):
        story = ("run", *STORY, "--temp", "1.2", "-s", "7")
        text = self.ok(*story)
        self.assertEqual(self.ok(*story), text)
        self.assertEqual(self.ok(*story, "-t", "1", "-ub", "3", "-b", "2", "--no-warmup", "--no-mmap"), text)
        self.assertNotEqual(self.ok(*story[:-1], "8"), text)

    def test_of_the_seed_on_stderr_gives_a_random_text_again(self):
        r = support.skald("run", *STORY, "--temp", "1.5")
        seed = re.search(rb"seed (\d+)", r.stderr)[1].decode()
        self.assertEqual(self.ok("run", *STORY, "--temp", "1.5", "-s", seed), r.stdout)


class Prompts(support.CliTest):
    def test_come_from_a_flag_a_file_or_stdin_alike(self):
        want = self.ok("run", *GREEDY)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "prompt.txt"
            path.write_bytes(b"Once upon a time")
            self.assertEqual(self.ok("run", "-f", path, *GREEDY[2:]), want)
        self.assertEqual(self.ok("run", "-f", "-", *GREEDY[2:], stdin=b"Once upon a time"), want)

    def test_of_ids_are_taken_as_they_are(self):
        for text in (support.comma(PROMPT_IDS), " " + " \n\t, ".join(map(str, PROMPT_IDS)) + ",\n"):
            self.assertEqual(self.ids("--prompt-ids", text, *GREEDY[2:]), self.ids(*GREEDY))

    def test_that_are_empty_begin_with_bos(self):
        want = self.ids("--prompt-ids", "0", *GREEDY[2:])
        self.assertEqual(len(want), 24)
        self.assertEqual(self.ids("-p", "", *GREEDY[2:]), want)
        self.assertEqual(self.ids("-f", "-", *GREEDY[2:]), want)
        self.assertEqual(self.ids("-f", "/dev/null", *GREEDY[2:]), want)

    def test_of_any_bytes_come_out_as_they_went_in(self):
        for prompt in (b"Once\x00upon", b"\xff\xfe\x80 broken", b"caf\xc3", "日本 😀".encode(), b"\x1b[2J\r\n", bytes(range(256)) * 4):
            out = self.ok("run", "-f", "-", "-n", "4", "--temp", "0", stdin=prompt)
            prompt = prompt.removesuffix(b"\n")  # a file's last newline is no prompt
            self.assertTrue(out.startswith(prompt), prompt)
            out[len(prompt):].decode()  # the model's part is UTF-8

    def test_may_hold_special_tokens(self):
        self.assertEqual(self.ok("tokenize", "--ids", "--no-special", "-p", "<|endoftext|>").split(), [b"0"])


class VerbosePrompt(support.CliTest):
    def notes(self, *flags, **env):
        r = support.skald("run", *flags, "-n", "1", "--verbose-prompt", **env)
        self.assertEqual(r.returncode, 0, r.stderr.decode())
        return r.stderr.decode()

    def test_shows_the_tokens_of_the_prompt(self):
        ids = self.ok("tokenize", "-p", "Once upon\na", "--ids").split()
        lines = self.notes("-p", "Once upon\na").splitlines()
        at = lines.index(f"prompt: {len(ids)} tokens")
        shown = [line.split(" -> ") for line in lines[at + 1:at + 1 + len(ids)]]
        self.assertEqual([i.strip() for i, _ in shown], [i.decode() for i in ids])
        self.assertIn("Once upon\\na", "".join(text[1:-1] for _, text in shown), "control characters are visible")

    def test_says_where_each_value_is_from(self):
        notes = self.notes("-p", "a", "--top-p", "0.5", "-s", "3", "--samplers", "top_k;top_p;temperature",
                           "--override-kv", "general.sampling.temp=float:0.25", "--override-kv", "general.sampling.min_p=float:0.5")
        self.assertIn("sampling:\n  temp 0.25 (the model's file)\n  top-k 40 (default)\n  top-p 0.5 (--top-p)\n"
                      "  samplers top_k;top_p;temperature (--samplers)\n  seed 3 (--seed)\n", notes)

    def test_says_nothing_without(self):
        self.assertNotIn("sampling:", support.skald("run", "-p", "a", "-n", "1").stderr.decode())


class Progress(support.CliTest):
    def test_is_not_said_in_pipes(self):
        r = support.skald("run", "-f", "-", "-n", "1", "-c", "8192", "--no-mmap", "-m", support.DATA.parent.parent / "assets/skald-tiny.gguf", stdin=b"Once " * 4000)
        self.assertEqual(r.returncode, 0)
        self.assertNotIn(b"\r", r.stderr)
        self.assertNotIn(b"%", r.stderr)

    def test_leaves_prompt_and_text_on_a_terminal_alone(self):
        """The prompt is shown when it is read: until then the terminal is progress's."""
        ours, theirs = pty.openpty()
        with subprocess.Popen([support.SKALD, "run", *GREEDY, "--no-perf"], stdout=theirs, stderr=theirs, env=support.environment()) as p:
            os.close(theirs)
            shown = b""
            with contextlib.suppress(OSError):  # at its end
                while data := os.read(ours, 65536):
                    shown += data
        os.close(ours)
        self.assertEqual(p.returncode, 0)
        shown = re.sub(rb"\r\x1b\[K(re(ading|packing)[^\r]*)?", b"", shown)
        self.assertEqual(shown.replace(b"\r\n", b"\n"), self.ok("run", *GREEDY))


class Variants(support.CliTest):
    # Rounding differs and int8 activations magnify it to some tenths of a logit: only sure choices must agree.
    PROMPT, MARGIN = support.surest(24)
    SURE = ("--prompt-ids", support.comma(PROMPT), "-n", "24", "--temp", "0", "--ignore-eos")

    def setUp(self):
        self.assertGreater(self.MARGIN, 0.6, "the stories hold no sure window of 24 tokens")

    def test_every_instruction_set_gives_the_same_greedy_ids(self):
        want = self.ids(*self.SURE)
        self.assertEqual(len(want), 24)
        self.assertEqual(self.ids(*self.SURE, SKALD_ISA="scalar"), want)

    def test_every_kv_type_gives_the_same_greedy_ids(self):
        want = self.ids(*self.SURE)
        for k in ("f32", "f16", "bf16", "q8_0"):
            for v in ("f32", "f16", "bf16", "q8_0"):
                self.assertEqual(self.ids(*self.SURE, "--cache-type-k", k, "-ctv", v), want)

    def test_repetition_penalties_change_the_text(self):
        self.assertNotEqual(self.ids(*self.SURE, "--repeat-penalty", "2"), self.ids(*self.SURE))

    def test_top_k_of_one_is_greedy_at_any_temperature(self):
        hot = ("--temp", "5", "--top-k", "1", "-s", "3")
        self.assertEqual(self.ids(*STORY, *hot), self.ids(*GREEDY))

    def test_files_are_the_same_mapped_or_read(self):
        run = ("-m", support.MODEL, "--prompt-ids", "1,5,9", "-n", "8", "--temp", "0", "--ignore-eos")
        self.assertEqual(self.ids(*run), self.ids(*run, "--no-mmap"))


support.main()
