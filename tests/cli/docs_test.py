"""Every flag that a Markdown page names is a flag of the command beside it, or of some command; so are variables and tiers."""
import ast
import re
import sys
from functools import cache
from pathlib import Path

import support

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests"))
import pages  # noqa: E402

FLAG = re.compile(r"--?[a-zA-Z][\w-]*")
BARE = re.compile(r"(?<![\w-])--[a-z][\w-]*")  # in running text
PROGRAMS = {"cmake", "echo", "sudo", "systemctl", "tar", "openssl", "docker", "claude", "aider", "<!--", "pip", "python3 -m venv", "python3 -c", "export", "ctest", "make", "ollama",  # not ours: their flags are taken as they are
            "skald_bench_kernels", "build/release/bench/skald_bench_kernels",  # Google Benchmark's
            "build/release/tests/test_<folder>"}                               # GoogleTest's
OTHERS = {"c++", "cc", "curl", "envoy", "grep", "haproxy", "helm", "journalctl", "kubectl", "mpirun", "nginx", "nl", "sed", "seq", "wc", "llama-bench", "llama-batched-bench", "parallel"}  # programs that tests don't have, or that are not ours
NAMED = {  # flags that are nowhere to be found: (page, flag): why the page names it
    ("docs/flags.md", "-n5"): "shown as wrong",
    ("bench/peers/README.md", "-rtr"): "ik_llama.cpp's",
    ("docs/performance.md", "-rtr"): "ik_llama.cpp's",
    ("docs/performance-older.md", "-rtr"): "ik_llama.cpp's",
    ("bench/peers/README.md", "-gp"): "ik_llama.cpp's",
    ("bench/peers/README.md", "-pg"): "llama-bench's",
    ("docs/design/arm64.md", "-fno-schedule-insns"): "GCC's",
    ("docs/design/systems.md", "-DSKALD_SYSTEM"): "CMake's",
    ("tools/train/README.md", "--n-ctx"): "made of a field of the model's configuration",
}


def help_of(command):
    return support.skald(*command, "--help").stdout.decode()


@cache
def flags_of(command):
    """Of a command of skald, as its --help lists them; ("bench", "kv") is one below another."""
    listed = re.findall(r"^  (-\S+)", help_of(command).split("Examples:")[0], re.MULTILINE)
    return {flag for names in listed for flag in names.split(",")}


@cache
def commands():
    """All commands of skald, as tuples of words."""
    found, outer = [], [()]
    for command in outer:
        listed = re.search(r"Subcommands:\n((?:  .*\n)+)", help_of(command))
        inner = [(*command, line.split()[0]) for line in listed[1].splitlines()] if listed else []
        found += inner
        outer += inner
    return found


@cache
def all_flags():
    return flags_of(()).union(*map(flags_of, commands()))


@cache
def llama_flags():
    """Those of llama.cpp that are taken or refused with the reason."""
    rows = re.findall(r'^    \{"(-[^"]*)"', (ROOT / "src/cli/flags/llama.cpp").read_text(), re.MULTILINE)
    return {flag for names in rows for flag in names.split(",")}


@cache
def script_flags(path):
    """Of a Python program: what it gives to add_argument; of a shell's, the labels of its cases."""
    if path.suffix == ".sh":
        return set(re.findall(r"^ *(--\w+)\)", path.read_text(), re.MULTILINE))
    calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "add_argument"]
    return {arg.value for call in calls for arg in call.args if isinstance(arg, ast.Constant) and arg.value.startswith("-")} | {"--help"}


def script_of(page, words):
    """The script that the command runs, or None."""
    for word in words[:2]:
        if word.endswith((".py", ".sh")):
            return next((folder / word for folder in (ROOT, page.parent) if (folder / word).is_file()), None)
    return None


def command_of(words):
    """The command of skald that the words begin with, as a tuple, or None."""
    if words[0].rpartition("/")[2] == "skald":
        words = words[1:]
    elif tuple(words[:1]) not in commands():
        return None
    depth = next((n for n in (2, 1) if tuple(words[:n]) in commands()), 0)
    return tuple(words[:depth])


def flags_in(words):
    return [match[0] for word in words if (match := FLAG.match(word))]


class Page:
    def __init__(self, path):
        self.path, self.text = path, path.read_text()
        self.name = str(path.relative_to(ROOT))
        self.code = list(pages.code(self.text))
        scripts = [script_of(path, [word]) for piece in self.code for word in pages.words(piece.text) if word.endswith(".py")]
        self.bare = all_flags().union(*(script_flags(script) for script in scripts if script))

    def complaints(self):
        for piece in self.code:
            if piece.is_span:
                yield from self.of_command(pages.words(piece.text), piece)
            else:
                for command in pages.commands(piece):
                    yield from self.of_command(command, piece)
        for number, line in pages.plain(self.text):
            yield from self.unknown(BARE.findall(line), self.bare, number, "")

    def of_command(self, words, piece):
        if "|" in words:  # each program of a pipe by itself
            at = words.index("|")
            yield from self.of_command(words[:at], piece)
            yield from self.of_command(words[at + 1:], piece)
            return
        while words and re.match(r"\w+=", words[0]):  # the environment of a command
            words = words[1:]
        flags = flags_in(words)
        if not flags or words[0] in PROGRAMS | OTHERS or {" ".join(words[:2]), " ".join(words[:3])} & PROGRAMS:
            return
        if FLAG.match(words[0]):
            yield from self.unknown(flags, self.bare, piece.line, piece.paragraph)
        elif (command := command_of(words)) is not None:
            yield from self.unknown(flags, flags_of(command), piece.line, piece.paragraph)
        elif script := script_of(self.path, words):
            yield from self.unknown(flags, script_flags(script), piece.line, "")
        else:
            yield self.name, flags[0], f"{self.name}:{piece.line}: whose flags are these? {piece.text}"

    def unknown(self, flags, known, line, paragraph):
        """(page, flag, complaint) of each. Flags of llama.cpp count where the page or the paragraph is about it."""
        if re.search(r"llama[.-]cpp|llama_flags", f"{self.name} {paragraph}"):
            known = known | llama_flags()
        for flag in flags:
            prefix = flag.endswith("-") and any(other.startswith(flag) for other in known)  # as in `--yarn-...`
            if flag not in known and not prefix:
                yield self.name, flag, f"{self.name}:{line}: no such flag {flag}"


class Docs(support.CliTest):
    def test_name_flags_that_are_there(self):
        found = [complaint for path in pages.pages(ROOT) for complaint in Page(path).complaints()]
        self.assertEqual([message for name, flag, message in found if (name, flag) not in NAMED], [])
        self.assertEqual(set(NAMED) - {(name, flag) for name, flag, _ in found}, set(), "to be named no longer")

    def test_name_variables_that_are_there(self):
        twins = {"SKALD_" + flag.lstrip("-").upper().replace("-", "_") for flag in all_flags() if flag.startswith("--")}
        constants = set(re.findall(r"\bSKALD_[A-Z][A-Z_]*", (ROOT / "include/skald/c.h").read_text()))
        build = "".join(path.read_text() for path in [ROOT / "CMakeLists.txt", *(ROOT / "cmake").glob("*.cmake")])
        options = set(re.findall(r"^(?:option|set)\((SKALD_[A-Z_]+)", build, re.MULTILINE))
        known = twins | constants | options | {"SKALD_ISA", "SKALD_LOG", "SKALD_MPI", "SKALD_CUDA_OFF", "SKALD_ASSERT", "SKALD_FLAGS"}  # the last of packaging/skald.service
        for path in pages.pages(ROOT):
            self.assertLessEqual(set(re.findall(r"\bSKALD_[A-Z][A-Z_]*", path.read_text())), known, path)

    def test_list_the_tiers(self):
        tiers = re.search(r"^tiers (.*)$", self.ok("--version").decode(), re.MULTILINE)[1].replace("(", "").replace(")", "").split()
        listed = re.search(r"SKALD_ISA=([\w|]+)", (ROOT / "docs/guide.md").read_text())[1].split("|")
        self.assertEqual([tier for tier in listed if tier in tiers], tiers)  # a build may have fewer


class Check(support.CliTest):
    """It must find what is wrong."""

    def complaints(self, text, name="x.md"):
        path = ROOT / "docs" / name
        page = Page.__new__(Page)
        page.path, page.text, page.name, page.code, page.bare = path, text, f"docs/{name}", list(pages.code(text)), all_flags()
        return list(page.complaints())

    def test_takes_what_is_right(self):
        for text in ("`skald run -p x --keep 5`", "`--kv-report`, `-m FILE`", "with --temp 0", "llama.cpp's `-ngl 99`", "`SKALD_ISA=avx2 skald bench -r 1`",
                     "`bench kv --heads 2`", "```sh\npython tools/train/corpus.py --seed 5  # --no\n```", "`--yarn-...`", "`llama-bench --never`",
                     "```\n$ skald bench -p 5\n| -x |\n```"):
            self.assertEqual(self.complaints(text), [], text)

    def test_takes_flags_of_llama_cpp_where_the_page_is_about_it(self):
        self.assertEqual(self.complaints("`-ngl 99`", "from-llama-cpp.md"), [])
        self.assertEqual(len(self.complaints("`--never 99`", "from-llama-cpp.md")), 1)

    def test_finds_what_is_wrong(self):
        for text in ("`skald run --keeps 5`", "`python3 -x 5`", "`--kv-reports`", "with --no-such-flag", "`skald tokenize --keep 5`", "`skald bench kv --shape x`",
                     "```sh\npython tools/train/corpus.py --sing 5\n```", "`--yern-...`", "`somebody --never`", "```\n$ skald bench --pp 5\n```",
                     "```sh\nskald run -p x && skald run --ps x\n```", "| `skald run` | `--kv-reports` |"):
            self.assertEqual(len(self.complaints(text)), 1, (text, self.complaints(text)))


support.main()
