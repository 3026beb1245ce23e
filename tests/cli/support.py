"""Running the built skald program from tests: its path is the first argument of every test script."""
import json
import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path
from xml.etree import ElementTree

SKALD = sys.argv.pop(1)
DATA = Path(__file__).resolve().parent.parent / "data"
SANITIZED = bool(os.environ.get("SKALD_SANITIZED"))  # slower, and needs much address space
MODEL = DATA / "golden/llama_mha_q8_0/model.gguf"    # random weights, 448 tokens
STORIES = json.loads((DATA.parent.parent / "assets/skald-tiny.json").read_text())["cases"]  # of the embedded model


def svg_texts(svg):
    """All texts of an SVG file, which must be well-formed XML without scripts or references to anything outside."""
    root = ElementTree.fromstring(svg)
    if root.tag != "{http://www.w3.org/2000/svg}svg":
        raise AssertionError(root.tag)
    for element in root.iter():
        name, attributes = element.tag.split("}")[1], " ".join(f"{k}={v}" for k, v in element.attrib.items())
        if name in ("script", "image", "foreignObject", "use") or "href" in attributes or "url(" in attributes or " on" in attributes:
            raise AssertionError(f"{name} {attributes}")
    return ["".join(e.itertext()) for e in root.iter("{http://www.w3.org/2000/svg}text")]


def comma(ids):
    return ",".join(map(str, ids))


def surest(n):
    """Prompt ids after which the embedded model is as sure as anywhere of its next n tokens, and its least margin there."""
    windows = [(min(c["margins"][at:at + n]), c["ids"] + c["greedy"][:at])
               for c in STORIES for at in range(len(c["greedy"]) - n + 1)]
    margin, ids = max(windows)
    return ids, margin


def environment():
    """This process's, without what the program would take for flags."""
    kept = ("SKALD_ISA", "SKALD_LOG")
    return {k: v for k, v in os.environ.items() if k in kept or not k.startswith(("SKALD_", "LLAMA_ARG_"))}


def skald(*args, stdin=b"", timeout=120, cwd=None, **env):
    """The finished process; stdout and stderr are bytes."""
    return subprocess.run([SKALD, *map(str, args)], input=stdin, capture_output=True, timeout=timeout, cwd=cwd, env={**environment(), **env})


class CliTest(unittest.TestCase):
    def new_folder(self):
        """An empty folder that goes away after the test."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return Path(folder.name)

    def until(self, holds):
        """Waits up to a minute for what will come to be true."""
        for _ in range(1200):
            if holds():
                return
            time.sleep(0.05)
        self.fail("it never came to that")

    def ok(self, *args, **options):
        """Runs, wants exit code 0, gives stdout as bytes."""
        r = skald(*args, **options)
        self.assertEqual(r.returncode, 0, f"{args}: {r.stderr.decode(errors='replace')}")
        return r.stdout

    def ids(self, *args, **options):
        return [int(x) for x in self.ok("run", "--print-ids", *args, **options).split()]

    def fails(self, code, *args, says=(), **options):
        """Runs, wants that exit code, nothing on stdout and a message on stderr that says all of `says`."""
        r = skald(*args, **options)
        message = r.stderr.decode()
        self.assertEqual(r.returncode, code, f"{args}: {message}")
        self.assertEqual(r.stdout, b"", args)
        self.assertTrue(message.strip(), f"{args}: no message")
        for text in (says,) if isinstance(says, str) else says:
            self.assertIn(text, message, args)


def main():
    unittest.main(verbosity=1)
