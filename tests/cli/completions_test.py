"""`skald completions` and `skald man`: every command and flag is in them, the shells take them, and bash completes by them."""
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import support

ROOT = Path(__file__).resolve().parents[2]
SHELLS = ("bash", "zsh", "fish")
SYNTAX = {"bash": ("bash", "-n"), "zsh": ("zsh", "-n"), "fish": ("fish", "-n")}


@cache
def printed(*command):
    return support.skald(*command).stdout.decode()


@cache
def commands():
    """All commands, as tuples of words: ("bench", "kv") is one below another."""
    found, outer = [], [()]
    for command in outer:
        listed = re.search(r"Subcommands:\n((?:  .*\n)+)", printed(*command, "--help"))
        inner = [(*command, line.split()[0]) for line in listed[1].splitlines()] if listed else []
        found += inner
        outer += inner
    return found


def flags_of(command):
    listed = re.findall(r"^  (-\S+)", printed(*command, "--help").split("Examples:")[0], re.MULTILINE)
    return [flag for names in listed for flag in names.split(",")]


def checked_by(program, *arguments, text):
    """What the program says of a text on its standard input."""
    return subprocess.run([program, *arguments], input=text, capture_output=True, text=True, check=False)


class Scripts(support.CliTest):
    def test_say_every_flag_of_every_command_behind_its_name(self):
        for shell in SHELLS:
            script = printed("completions", shell)
            for command in commands():
                name, mark = " ".join(command), {"bash": "  '{}')\n    flags=", "zsh": "  '{}')\n    _arguments", "fish": "__skald_is \"{}\"'"}[shell]
                self.assertIn(mark.format(name), script, shell)
                at = script.index(mark.format(name))
                end = {"bash": ";;", "zsh": ";;", "fish": "__skald_is"}[shell]
                text = script[at:] if shell == "fish" else script[at:script.index(end, at)]
                for flag in flags_of(command):
                    bare = flag.lstrip("-")
                    word = rf"-(?:l|s|o) {re.escape(bare)}(?![\w-])" if shell == "fish" else rf"(?<![\w-]){re.escape(flag)}(?![\w-])"
                    self.assertRegex(text, word, f"{shell} {name}")

    def test_are_syntax_that_the_shells_take(self):
        for shell in SHELLS:
            if shutil.which(shell) is None:
                print(f"no {shell}: its syntax is not checked", file=sys.stderr)
                continue
            path = self.new_folder() / "script"
            path.write_text(printed("completions", shell))
            r = subprocess.run([*SYNTAX[shell], path], capture_output=True, text=True, check=False)
            self.assertEqual((r.returncode, r.stderr), (0, ""), shell)

    def test_refuse_other_shells(self):
        self.fails(2, "completions", "csh", says="want bash, zsh or fish")


class Bash(support.CliTest):
    def complete(self, *words, home=None):
        """What bash offers for the last word, which it cuts at "=" and ":" as when a user types."""
        pieces = [piece for word in words for piece in re.findall(r"[=:]|[^=:]+|^$", word)]
        script = (f"source <('{support.SKALD}' completions bash)\nCOMP_WORDS=(skald \"$@\") COMP_CWORD=$#\n"
                  f"_skald '{support.SKALD}'\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"")
        r = subprocess.run(["bash", "-c", script, "bash", *pieces], capture_output=True, text=True, check=True, cwd=self.new_folder(),
                           env={**support.environment(), "HF_HOME": str(home or self.new_folder()), "HF_HUB_CACHE": ""})
        self.assertEqual(r.stderr, "")
        return r.stdout.split()

    def test_completes_commands(self):
        self.assertEqual(self.complete("qu"), ["quantize"])
        self.assertLessEqual({" ".join(c) for c in commands() if len(c) == 1} | {"--help", "--version"}, set(self.complete("")))

    def test_completes_commands_below_a_command(self):
        self.assertEqual(sorted(self.complete("bench", "")), sorted(c[1] for c in commands() if c[0] == "bench" and len(c) == 2))
        self.assertEqual(self.complete("bench", "kv", "--bi"), ["--bits"])

    def test_completes_every_flag_of_every_command(self):
        for command in [("run",), ("serve",), ("bench", "attention"), ("quantize",)]:
            self.assertLessEqual(set(flags_of(command)), set(self.complete(*command, "-")), command)

    def test_completes_the_words_of_a_flag(self):
        self.assertEqual(self.complete("run", "-o", ""), ["text", "json"])
        self.assertEqual(self.complete("list", "--output=n"), ["names"])
        self.assertEqual(self.complete("run", "--temp", "0", "--numa", "dis"), ["distribute"])
        self.assertEqual(self.complete("quantize", "a.gguf", "b.gguf", "Q4_K_"), ["Q4_K_S", "Q4_K_M"])
        self.assertIn("llama-2-7b", self.complete("synth", "--shape", "llama-2"))

    def test_offers_nothing_for_numbers_and_texts(self):
        self.assertEqual(self.complete("run", "--temp", ""), [])
        self.assertEqual(self.complete("run", "-p", "q"), [])

    def test_completes_names_of_models_that_were_got(self):
        home, commit = self.new_folder(), "0" * 40
        snapshot = home / "hub/models--user--small-GGUF/snapshots" / commit
        snapshot.mkdir(parents=True)
        for quantised in ("Q4_0", "Q8_0"):
            shutil.copy(support.MODEL, snapshot / f"small-{quantised}.gguf")
        refs = home / "hub/models--user--small-GGUF/refs"
        refs.mkdir()
        (refs / "main").write_text(commit)
        names = self.ok("list", "-o", "names", HF_HOME=str(home), HF_HUB_CACHE="").decode().split()
        self.assertEqual(names, ["user/small-GGUF:Q4_0", "user/small-GGUF:Q8_0"])
        for words in (("run", "use"), ("run", "-m", "use"), ("rm", "user/"), ("chat", "--hf-repo", "u")):
            self.assertEqual(self.complete(*words, home=home), names, words)
        self.assertEqual(self.complete("run", "-m", "user/small-GGUF:Q8", home=home), ["Q8_0"])  # bash cut at the colon


class Manual(support.CliTest):
    def test_has_every_command_and_flag(self):
        roff, markdown = printed("man").replace("\\-", "-"), printed("man", "-o", "md")
        for command in commands():
            self.assertIn(f'.SS "skald {" ".join(command)}"\n', roff)
            self.assertIn(f"\n## skald {' '.join(command)}\n", markdown)
            for flag in flags_of(command):
                self.assertIn(f"\\fB{flag}\\fR", roff)
                self.assertRegex(markdown, rf"(?<![\w-]){re.escape(flag)}(?![\w-])")

    def test_has_the_sections_of_a_manual(self):
        sections = re.findall(r'^\.SH "?([A-Z ]+)"?$', printed("man"), re.MULTILINE)
        self.assertEqual(sections, ["NAME", "SYNOPSIS", "DESCRIPTION", "COMMANDS", "FLAGS OF SEVERAL COMMANDS", "ENVIRONMENT", "EXIT STATUS", "FILES", "EXAMPLES"])

    def test_tells_flags_of_several_commands_once(self):
        having = [command for command in commands() if "--cache-type-k" in flags_of(command)]
        self.assertLess(printed("man").count("\\fB\\-\\-cache\\-type\\-k\\fR"), len(having) / 3)

    def test_is_a_page_that_man_programs_take(self):
        for program, arguments in (("mandoc", ("-Tlint", "-Wwarning")), ("groff", ("-man", "-ww", "-z"))):
            if shutil.which(program) is None:
                print(f"no {program}: the page is not checked by it", file=sys.stderr)
                continue
            r = checked_by(program, *arguments, text=printed("man"))
            said = [line for line in (r.stdout + r.stderr).splitlines() if "missing date" not in line]  # a page of the program has none
            self.assertEqual(said, [], program)

    def test_is_what_the_page_of_the_command_line_is(self):
        self.assertEqual((ROOT / "docs/cli.md").read_text(), printed("man", "-o", "md"), "docs/cli.md is old: run make docs")


support.main()
