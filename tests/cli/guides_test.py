"""Every command in the blocks of the guides runs as it is written there, and prints what the page shows behind it.

A page's commands run in one folder, in their order, line by line; `model.gguf` is the story model and `reranker.gguf` a small one with a classifier. Files that a page shows
("With this `NAME`:" and a block) are there. What asks a person gets "Hi" on standard input; texts are short.
"""
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import hub_server
import support

ROOT = Path(__file__).resolve().parents[2]
MODEL = ROOT / "assets/skald-tiny.gguf"
RERANKER = support.DATA / "encoders/xlmrrank/model.gguf"
PAGES = ("batch", "chat", "embeddings", "models-get", "sampling", "structured")
REPO = "bartowski/Llama-3.2-1B-Instruct-GGUF"
TYPES = ("Q4_K_M", "Q6_K", "Q8_0")

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SHOWN_FILE = re.compile(r"With this `([^`]+)`:\n\n\Z")


def blocks(text):
    """(language, content, name of the file that it shows or None, content of the block right behind it or None) of each."""
    found = list(BLOCK.finditer(text))
    for block, after in zip(found, [*found[1:], None]):
        name = SHOWN_FILE.search(text, 0, block.start())
        adjacent = after is not None and text[block.end():after.start()].strip() == "" and not after[1] in ("sh",)
        yield block[1], block[2], name and name[1], after[2] if adjacent else None


class Guides(support.CliTest):
    @classmethod
    def setUpClass(cls):
        """A folder with the program, and a hub on this machine with the models that are got."""
        cls.hub = hub_server.Hub({REPO: {f"Llama-3.2-1B-Instruct-{t}.gguf": MODEL.read_bytes() for t in TYPES}})
        cls.addClassCleanup(cls.hub.close)
        programs = tempfile.TemporaryDirectory()
        cls.addClassCleanup(programs.cleanup)
        os.symlink(Path(support.SKALD).resolve(), Path(programs.name) / "skald")
        cls.env = {**support.environment(), "PATH": f"{programs.name}:{os.environ['PATH']}", "HF_ENDPOINT": cls.hub.url, "HF_TOKEN": "",
                   "HF_HUB_CACHE": "", "HF_HUB_OFFLINE": "", "SKALD_THREADS": "1", "SKALD_PREDICT": "16"}

    def run_line(self, line, folder):
        """The exit code, what it prints, and what it says."""
        r = subprocess.run(["bash", "-o", "pipefail", "-c", line], cwd=folder, env={**self.env, "HF_HOME": str(folder / "hub")}, input=b"Hi",
                           capture_output=True, timeout=120)
        return r.returncode, r.stdout.decode(errors="replace"), r.stderr.decode(errors="replace")

    def run_page(self, page):
        folder = self.new_folder()
        shutil.copy(MODEL, folder / "model.gguf")
        shutil.copy(RERANKER, folder / "reranker.gguf")
        ran = 0
        for language, content, name, shown in blocks((ROOT / f"docs/{page}.md").read_text()):
            if name:
                (folder / name).write_text(content)
            if language != "sh":
                continue
            lines = content.splitlines()
            for line in lines:
                with self.subTest(page=page, command=line):
                    code, out, err = self.run_line(line, folder)
                    expected = shown if line is lines[-1] else None
                    if expected is not None and expected.startswith("skald: "):  # the page shows how it is refused
                        self.assertEqual((code, out, err), (1, "", expected))
                        continue
                    self.assertEqual(code, 0, err)
                    self.assertTrue(out or err or re.search(r" > | -o ", line), "neither prints nor writes")
                    if expected is not None:
                        self.assertEqual(out.rstrip("\n"), expected.rstrip("\n"))
                ran += 1
        return ran

    def test_commands_run_and_print_what_is_shown(self):
        for page in PAGES:
            self.assertGreater(self.run_page(page), 2, page)


support.main()
