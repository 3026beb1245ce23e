"""--help of every subcommand: flags with llama.cpp's names, and examples."""
import re

import support

COMMANDS = ("batch", "bench", "chat", "completions", "detokenize", "doctor", "embed", "graph", "inspect", "kernels", "kv-size", "list", "logits", "man", "profile", "pull", "rerank", "rm", "run", "synth", "template", "tokenize")
NESTED = ("bench attention", "bench kv", "bench serve")
RUN_FLAGS = ("-m", "-hf", "-hfr", "--hf-repo", "--hf-file", "--offline", "-p", "-f", "-n", "-c", "-t", "-tb", "--threads-batch", "-Cr", "--cpu-range", "--numa", "--mlock", "-b", "-ub", "-s", "--temp", "--top-k", "--top-p", "--min-p", "--repeat-penalty",
             "--ignore-eos", "--cache-type-k", "--cache-type-v", "--kv-layout", "--no-kv-rotate",
             "--context-shift", "--no-context-shift", "--keep", "--swa-sinks", "--kv-report", "--no-warmup", "--no-mmap")
PAIRS = ("--control-vector-layer-range",)  # which take two values


def mentions(text, flag):
    return re.search(rf"(?<![\w-]){re.escape(flag)}(?![\w-])", text) is not None


class Help(support.CliTest):
    def test_lists_all_commands(self):
        text = self.ok("--help").decode()
        for command in COMMANDS:
            self.assertTrue(mentions(text, command), command)
        for outer, inner in map(str.split, NESTED):
            self.assertTrue(mentions(self.ok(outer, "--help").decode(), inner), inner)

    def test_of_every_command_shows_examples_that_begin_with_it(self):
        for command in COMMANDS + NESTED:
            text = self.ok(*command.split(), "--help").decode()
            self.assertIn("Examples:", text, command)
            self.assertIn(f"skald {command}", text.split("Examples:")[1])

    def test_of_run_has_the_flags_that_people_know(self):
        text = self.ok("run", "--help").decode()
        for flag in RUN_FLAGS:
            self.assertTrue(mentions(text, flag), flag)

    def test_shows_defaults(self):
        text = self.ok("run", "--help").decode()
        for default in ("--temp X=0.8", "--top-k N=40", "--ubatch-size N=512", "TYPE=f16"):
            self.assertIn(default, text)

    def test_flags_it_shows_are_accepted(self):
        for command in COMMANDS + NESTED:
            options = self.ok(*command.split(), "--help").decode().split("Examples:")[0]
            flags = [flag for flag in dict.fromkeys(re.findall(r"(?<![\w-])--?[a-z][\w-]*", options)) if flag not in ("-h", "--help")]
            groups = len(flags) // 8 + 1
            for group in (flags[i::groups] for i in range(groups)):  # names of one flag are neighbours, and so in two groups
                if not self.are_accepted(command, group):  # or they exclude each other
                    for flag in group:
                        self.assertTrue(self.are_accepted(command, [flag]), f"{command} {flag}")

    def are_accepted(self, command, flags):
        """Whether the command says nothing of the flags, beside a wrong one with which nothing runs."""
        r = support.skald(*command.split(), *(word for flag in flags for word in (flag, *(["1"] * (1 + (flag in PAIRS))))), "--no-such-flag")
        self.assertEqual(r.returncode, 2)
        said = r.stderr.decode()
        return "--no-such-flag" in said and not any(mentions(said, flag) for flag in flags)

    def test_version_is_a_line(self):
        self.assertRegex(self.ok("--version").decode(),
                         r"^skald \d+\.\d+\.\d+\ncommit ([0-9a-f]{7,}\+?|unknown)\ncompiler \w+ \d.*\ntiers scalar( \(?\w+\)?)+\n$")

    def test_explains_exit_codes_and_environment(self):
        text = self.ok("--help").decode()
        for word in ("SKALD_ISA", "SKALD_LOG", "130"):
            self.assertIn(word, text)


support.main()
