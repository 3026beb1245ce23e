"""The commands of the README run as they are written there, on small models. What would take long is made smaller, not left out."""
import json
import re
import shutil
import sys
import tempfile
from pathlib import Path

import convert_test
import hub_server
import server
import support

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests"))
import pages  # noqa: E402

README = (ROOT / "README.md").read_text()
TEXT = "Once upon a time there was a small boat that nobody wanted. " * 60
# The vocabulary of a folder as small as convert_test's: 14 letters, one merge.
TOKENIZER = {"pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "use_regex": True}, "decoder": {"type": "ByteLevel"},
             "model": {"type": "BPE", "vocab": {word: i for i, word in enumerate([*"abcdefghijklmno", "ab"])}, "merges": ["a b"]}}


def hugging_face_folder(path):
    path.mkdir()
    (path / "config.json").write_text(json.dumps(convert_test.CONFIG))
    (path / "model.safetensors").write_bytes(convert_test.safetensors(convert_test.TENSORS))
    (path / "tokenizer.json").write_text(json.dumps(TOKENIZER))


def shards(path):
    """Three, of which the path is the first."""
    stem = str(path).removesuffix("-00001-of-00003.gguf")
    support.skald("split", support.MODEL, stem, "--split-max-tensors", 7)


FILES = {  # what the commands read, and how it is made
    "model.gguf": lambda path: shutil.copy(support.MODEL, path),
    "f16.gguf": lambda path: shutil.copy(support.DATA / "golden/llama_mha_f16/model.gguf", path),
    "book.txt": lambda path: path.write_text(TEXT),
    "chat.json": lambda path: path.write_text('[{"role": "user", "content": "Hi"}]'),
    "tools.json": lambda path: path.write_text('[{"name": "now"}]'),
    "texts.txt": lambda path: path.write_text("A cat slept.\nA dog barked.\n"),
    "reranker.gguf": lambda path: shutil.copy(support.DATA / "encoders/xlmrrank/model.gguf", path),
    "logits.npy": lambda path: support.skald("logits", "--ids", "1,5,9", "-o", path),
    "text.txt": lambda path: path.write_text(TEXT),
    "reply.txt": lambda path: path.write_text('<tool_call>{"name": "now"}</tool_call>'),
    "Llama-3.2-1B": hugging_face_folder,
    "model-00001-of-00003.gguf": shards,
}
WRITES_ITS_SECOND_FILE = ("convert", "merge", "pack", "quantize", "split")
# The most that a command is asked for: larger numbers are made this small, and flags that it lacks are added, but for OPTIONAL.
MOST = {
    ("run",): {"-n": 700},
    ("chat",): {"-n": 8},
    ("bench",): {"-p": 16, "-n": 2, "-d": 64, "-B": 4, "-r": 1, "--roofline-seconds": 0.01},
    ("bench", "attention"): {"-p": 16, "--lengths": 64, "-r": 1, "--roofline-seconds": 0.01},
    ("bench", "kv"): {"-r": 1},
    ("bench", "sampling"): {"--vocab": 1000},
    ("profile",): {"-p": 16, "-n": 2},
}
OPTIONAL = ("-d", "-B")
SKIPPED = {"rm NAME --yes": "hub_test removes models"}  # command: why it cannot run here


def readme_commands():
    """Each command once, as words behind `skald`."""
    found = {}
    for piece in pages.code(README):
        for command in [pages.words(piece.text)] if piece.is_span else pages.commands(piece):
            if command[0].rpartition("/")[2] == "skald":
                found[tuple(command[1:])] = piece
    return [(list(command), piece) for command, piece in found.items() if command]


def is_mention(command, piece):
    """A command's name in running text says nothing of how it is called."""
    return len(command) == 1 and not command[0].startswith("-") and not piece.paragraph.startswith("| `skald")


def smaller(command):
    """The command with as little to do as MOST says."""
    most = dict(MOST.get(tuple(command[:2]), MOST.get(tuple(command[:1]), {})))
    if "--shape" in command:
        most["--layers"] = 1
    out = list(command)
    if support.SANITIZED and "--shape" in out:  # half a gigabyte takes minutes then
        out[out.index("--shape") + 1] = "stories-15m"
    for flag, limit in most.items():
        if flag not in out:
            out += [flag, str(limit)] if flag not in OPTIONAL else []
            continue
        at = out.index(flag) + 1
        out[at] = ",".join(dict.fromkeys(str(limit) if number(part) > limit else part for part in re.split(r",|\.\.", out[at])))
    return out


def number(text):
    """4096, 4k or 0.5"""
    return float(text.removesuffix("k")) * (1024 if text.endswith("k") else 1)


def outputs(command):
    """The files that it writes; of a split the first."""
    written = [command[i + 1] for i, word in enumerate(command[:-1]) if word == "-o" and "." in command[i + 1]]
    if command[0] in WRITES_ITS_SECOND_FILE:
        written.append(command[2] if command[0] != "split" else f"{command[2]}-00001-of-00001.gguf")
    return written


class Readme(support.CliTest):
    done = {}  # what each command gave

    @classmethod
    def setUpClass(cls):
        """A hub on this machine has the model that is got, and the cache is a new folder."""
        cls.hub = hub_server.Hub({"bartowski/Llama-3.2-1B-Instruct-GGUF": {"Llama-3.2-1B-Instruct-Q8_0.gguf": support.MODEL.read_bytes()}})
        cls.addClassCleanup(cls.hub.close)
        home = tempfile.TemporaryDirectory()
        cls.addClassCleanup(home.cleanup)
        cls.env = {"HF_ENDPOINT": cls.hub.url, "HF_HOME": home.name, "HF_HUB_CACHE": "", "HF_HUB_OFFLINE": "", "HF_TOKEN": ""}

    def run_there(self, command):
        """Runs it in a new folder with the files that it names, unless it has run, and wants what it writes."""
        if tuple(command) in self.done:
            return self.done[tuple(command)]
        folder = self.new_folder()
        for word in command:
            if word in FILES and word not in outputs(command):
                FILES[word](folder / word)
        said_to_it = b"Hi" if command[0] in ("chat", "grammar") else b""
        r = support.skald(*command, cwd=folder, stdin=said_to_it, SKALD_THREADS="1", **self.env)  # others may test beside: threads would wait for each other
        said = f"skald {' '.join(command)}: {r.stderr.decode(errors='replace')}"
        self.assertEqual(r.returncode, 0, said)
        for name in outputs(command):
            self.assertTrue((folder / name).is_file() and (folder / name).stat().st_size > 0, said)
        self.done[tuple(command)] = r
        return r

    def serve_there(self, flags):
        """A server with these flags answers, and ends when it is told to."""
        folder = self.new_folder()
        for word in flags:
            if word in FILES:
                FILES[word](folder / word)
        with server.Server(*flags, cwd=folder) as running:
            self.assertEqual(running.post("/v1/completions", {"prompt": "Once", "max_tokens": 1}).status, 200)
            self.assertEqual(running.stop(), 0)

    def test_commands_run(self):
        ran = 0
        for command, piece in readme_commands():
            with self.subTest(command=" ".join(command)):
                if " ".join(command) in SKIPPED:
                    continue
                if command[0] == "COMMAND":
                    command = ["run", *command[1:]]
                if is_mention(command, piece):
                    self.ok(*command, "--help")
                    continue
                if command[0] == "serve":
                    self.serve_there(command[1:])
                    continue
                r = self.run_there(smaller(command))
                self.assertTrue(r.stdout or outputs(command), command)
                ran += 1
        self.assertGreater(ran, 20)

    def test_skips_only_what_is_there(self):
        self.assertLessEqual(set(SKIPPED), {" ".join(command) for command, _ in readme_commands()})

    def test_context_shift_goes_past_the_context(self):
        """As many tokens as were asked for, which are more than the context holds."""
        (command,) = [command for command, _ in readme_commands() if "--context-shift" in command]
        context, n = (int(command[command.index(flag) + 1]) for flag in ("-c", "-n"))
        self.assertGreater(n, context)
        few = smaller(command)
        n = int(few[few.index("-n") + 1])
        self.assertGreater(n, context)
        ids = self.run_there([*few, "--print-ids"]).stdout.split()
        self.assertEqual(len(ids), n)
        few.remove("--context-shift")
        self.assertLess(len(self.run_there([*few, "--print-ids"]).stdout.split()), context)

    def test_tables_shown_have_the_columns_that_are_printed(self):
        """Of the command behind `$ `: all columns of the README, in their order; there may be more."""
        (command,) = [command for command, piece in readme_commands() if piece.text.startswith("$ ")]
        block = README[README.index("$ skald bench"):]
        columns = [[cell.strip() for cell in line.strip("|").split("|")] for line in
                   (next(line for line in text.splitlines() if line.startswith("| model")) for text in
                    (block, self.run_there(smaller(command)).stdout.decode()))]
        self.assertEqual([column for column in columns[1] if column in columns[0]], columns[0])


support.main()
