"""Every command in the blocks of the README and of docs/ runs as it is written there, and prints what the page shows after it.

A page's commands run in one folder, in their order, line by line. What asks a person gets "Hi" on standard input. What cannot be run here, or not as a
whole, is marked in the page with the reason (doc_blocks.py). docs/cli.md is about the examples of --help, which examples_test runs.
"""
import importlib.util
import json
import re
import shutil
import unittest
import urllib.request

import doc_blocks
import support
from doc_runner import ROOT, Runner

PAGES = [ROOT / "README.md", *(path for path in sorted((ROOT / "docs").glob("**/*.md")) if path.name != "cli.md")]

CLIENTS = ROOT / "tests/serve/clients"  # what official libraries send, recorded


class Pages(support.CliTest):
    @classmethod
    def setUpClass(cls):
        cls.runner = Runner({"SKALD_PREDICT": "16"})
        cls.addClassCleanup(cls.runner.close)

    def check(self, block, folder):
        """Runs a block's commands; how many there were."""
        commands = block.commands()
        for command in commands:
            with self.subTest(where=block.where, command=command):
                code, out, err = self.runner.run(block.smaller(command), folder, block.environment)
                expected = block.output if command is commands[-1] else None
                if expected is not None and expected.startswith("skald: "):  # the page shows how it is refused
                    self.assertEqual((code, out, err), (1, "", expected))
                    continue
                self.assertEqual(code, 0, err)
                self.assertTrue(out or err or re.search(r" > | -o | --out ", command), "neither prints nor writes")
                if expected is not None and block.language == "sh":
                    self.assertEqual(out.rstrip("\n"), expected.rstrip("\n"))
        return len(commands)

    def check_client(self, block, folder):
        """A program with the library that it imports, where that is there; else what the library sends is asked of the server."""
        name = re.search(r'^import (?:\w+ from )?"?(\w+)"?', block.content, re.MULTILINE)[1]
        with self.subTest(where=block.where, client=name):
            self.assertIsNotNone(self.runner.server, "no server runs before this block")
            if block.language == "python" and importlib.util.find_spec(name):
                (folder / "client.py").write_text(block.content.replace(":8080", f":{self.runner.server.port}"))
                code, out, err = self.runner.run("python client.py", folder)
                self.assertEqual(code, 0, err)
                self.assertTrue(out.strip())
            else:
                self.replay(name)

    def replay(self, name):
        """Every request that the library was seen to send is answered."""
        for request in json.loads((CLIENTS / f"{name}.json").read_text()):
            body = None if request["body"] is None else json.dumps(request["body"]).encode()
            asked = urllib.request.Request(f"http://127.0.0.1:{self.runner.server.port}{request['path']}", body, request["headers"], method=request["method"])
            with urllib.request.urlopen(asked, timeout=60) as answer:
                self.assertEqual(answer.status, 200, request["path"])
                self.assertTrue(answer.read(), request["path"])

    def run_page(self, path):
        folder, ran = self.new_folder(), 0
        for block in doc_blocks.blocks(str(path.relative_to(ROOT)), path.read_text()):
            if block.shows:
                (folder / block.shows).write_text(block.content)
            if block.language in doc_blocks.SHELL and not block.not_run:
                ran += self.check(block, folder)
            elif block.language in ("python", "js") and not block.not_run:
                self.check_client(block, folder)
        self.runner.end_server()
        return ran

    def test_commands_run_and_print_what_is_shown(self):
        ran = sum(self.run_page(path) for path in PAGES)
        self.assertGreater(ran, 40)


class Blocks(unittest.TestCase):
    """A reader pastes a block whole."""

    def hanging(self, content):
        (block,) = doc_blocks.blocks("x.md", f"```sh\n{content}```\n")
        return block.hanging()

    def test_of_pages_have_no_command_that_waits_before_others(self):
        for path in PAGES:
            for block in doc_blocks.blocks(str(path.relative_to(ROOT)), path.read_text()):
                if block.language in doc_blocks.SHELL:
                    self.assertEqual(block.hanging(), [], block.where)

    def test_with_such_a_command_are_found(self):
        for command in ("skald serve -m model.gguf", "skald chat -m model.gguf"):
            self.assertEqual(self.hanging(f"{command}\ncurl x\n"), [command])
            self.assertEqual(self.hanging(f"curl x\n{command}\n"), [])
        for command in ("skald serve &", "skald chat -p Hi --single-turn", "skald chat -st -p Hi", "echo Hi | skald chat", "skald server"):
            self.assertEqual(self.hanging(f"{command}\ncurl x\n"), [], command)


class Markers(unittest.TestCase):
    """What is not run must be marked, by a marker that there is."""

    def one(self, text):
        (block,) = doc_blocks.blocks("x.md", text + "```sh\nskald bench -p 512 -n 64\n```\n")
        return block

    def test_are_read(self):
        self.assertEqual(self.one("<!-- not run: needs Docker -->\n").not_run, "needs Docker")
        block = self.one("Text.\n\n<!-- run with: -p 16 SKALD_N_GEN=2 -->\n\n")
        self.assertEqual(block.smaller(block.commands()[0]), "skald bench -p 16 -n 64")
        self.assertEqual(block.environment, {"SKALD_N_GEN": "2"})

    def test_that_are_unknown_or_without_a_reason_are_refused(self):
        for marker in ("skip", "not run", "not run:", "run with:", "run with: -p", "ran: it did"):
            with self.assertRaises(doc_blocks.BadMarker, msg=marker):
                self.one(f"<!-- {marker} -->\n")

    def test_belong_to_the_block_behind_them(self):
        first, second, third = doc_blocks.blocks("x.md", "<!-- not run: a -->\n```sh\na\n```\n\n```sh\nb\n```\n\n<!-- not run: c -->\n```sh\nc\n```\n")
        self.assertEqual((first.not_run, second.not_run, third.not_run), ("a", None, "c"))


support.main()
