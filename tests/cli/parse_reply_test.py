"""skald parse-reply from outside: texts in files, pieces and streams, formats by name and by template."""
import json
import re
import sys
from pathlib import Path

import support

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests"))
import pages  # noqa: E402

TOOLS = [{"type": "function", "function": {"name": "get_weather", "parameters": {
    "type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}}}}]
TEXT = ("<think>\nHm.\n</think>\n\nLet me see \u2744.\n<tool_call>\n<function=get_weather>\n<parameter=city>\n123\n</parameter>\n"
        "<parameter=days>\n3\n</parameter>\n</function>\n</tool_call>")
WHOLE = {"content": "Let me see \u2744.", "reasoning_content": "Hm.",
         "tool_calls": [{"name": "get_weather", "arguments": '{"city": "123", "days": 3}'}]}


def joined(lines):
    """What a client of the chat API makes of deltas."""
    out, calls = {"content": "", "reasoning_content": ""}, {}
    for line in lines.decode().splitlines():
        delta = json.loads(line)
        for key in out:
            out[key] += delta.get(key, "")
        for call in delta.get("tool_calls", []):
            calls[call["index"]] = call["function"]
    return {**out, "tool_calls": [calls[i] for i in sorted(calls)]}


class ParseReply(support.CliTest):
    def setUp(self):
        self.folder = self.new_folder()
        self.text, self.tools = self.folder / "reply.txt", self.folder / "tools.json"
        self.text.write_text(TEXT)
        self.tools.write_text(json.dumps(TOOLS))
        self.format = ("parse-reply", "--format", "qwen3-xml", "--tools", self.tools)

    def test_gives_the_same_however_the_text_comes(self):
        pieces = self.folder / "pieces.jsonl"
        pieces.write_text("".join(json.dumps(TEXT[i:i + 5]) + "\n\n" for i in range(0, len(TEXT), 5)))
        for source in (("--text-file", self.text), ("--text-file", self.text, "--stream-bytes", "1"), ("--pieces-file", pieces)):
            self.assertEqual(json.loads(self.ok(*self.format, *source)), WHOLE, source)
            self.assertEqual(joined(self.ok(*self.format, *source, "-o", "events")), WHOLE, source)
        self.assertEqual(json.loads(self.ok(*self.format, stdin=TEXT.encode())), WHOLE)

    def test_streams_what_is_known(self):
        lines = self.ok(*self.format, "--text-file", self.text, "--stream-bytes", "4", "-o", "events").decode().splitlines()
        kinds = [next(iter(json.loads(line))) for line in lines]
        self.assertGreater(kinds.count("content"), 2)
        self.assertEqual(kinds.count("tool_calls"), 1)
        self.assertEqual(kinds[-1], "tool_calls")

    def test_drops_unfinished_calls_of_what_was_cut_off(self):
        self.text.write_text(TEXT[:-14])
        cut = json.loads(self.ok(*self.format, "--text-file", self.text, "--truncated"))
        self.assertEqual(cut, {**WHOLE, "tool_calls": []})

    def test_begins_where_the_prompt_ended(self):
        out = json.loads(self.ok("parse-reply", "--format", "none", "--generation-prompt", "<think>\n", stdin=b"a</think>b"))
        self.assertEqual(out, {"content": "b", "reasoning_content": "a", "tool_calls": []})

    def test_takes_any_bytes(self):
        for name in self.ok("parse-reply", "--list").decode().split():
            out = json.loads(self.ok("parse-reply", "--format", name, stdin=b"<think>\xff\x00\xf0\x9f"))
            self.assertEqual(set(out), set(WHOLE), name)

    def test_finds_the_format_of_a_template(self):
        template = self.folder / "template.jinja"
        for source, name in (("{{ messages[0].content }}", "none"), ("[TOOL_CALLS]{{ name }}[ARGS]", "mistral")):
            template.write_text(source)
            self.assertEqual(self.ok("parse-reply", "--chat-template-file", template, "--detect").decode(), name + "\n")
        self.assertEqual(json.loads(self.ok("parse-reply", "--chat-template-file", template, stdin=b"[TOOL_CALLS]f[ARGS]{}"))["tool_calls"],
                         [{"name": "f", "arguments": "{}"}])
        self.assertEqual(self.ok("parse-reply", "-m", support.MODEL, "--detect", "--override-kv",
                                 "tokenizer.chat_template=str:<tool_call>{{ tools }}").decode(), "hermes\n")

    def test_does_what_the_page_says(self):
        page = (ROOT / "docs/chat.md").read_text()
        text, said = re.search(r"`reply.txt`:\n\n```text\n(.*?)```.*?```json\n(.*?)```", page, re.DOTALL).groups()
        self.text.write_text(text)
        (self.folder / "template.jinja").write_text("{% if tools %}<tool_call>{% endif %}")
        ran = []
        for piece in pages.code(page):
            for command in pages.commands(piece) if not piece.is_span else ():
                if command[:2] == ["skald", "parse-reply"]:
                    ran.append(self.ok(*command[1:], cwd=self.folder).decode())
        self.assertEqual(ran[0], said)
        self.assertIn("hermes\n", ran)
        listed = self.ok("parse-reply", "--list").decode().split()
        named = set(re.findall(r"`([\w.-]+)`", page[page.index("| format | families |"):]))
        self.assertEqual(named, set(listed))

    def test_refuses_what_says_nothing(self):
        self.fails(2, "parse-reply", says=("--format", "--chat-template-file", "-m"))
        self.fails(2, "parse-reply", "--format", "hermes", "-m", support.MODEL, says="exactly one")
        self.fails(2, "parse-reply", "--format", "Hermes", says=("--format", "Hermes", "hermes"))
        self.fails(2, "parse-reply", "--format", "hermes", "--detect", says="--detect")
        self.fails(2, *self.format, "-o", "xml", says="-o")
        self.fails(2, *self.format, "--stream-bytes", "0", says="--stream-bytes")
        self.fails(2, *self.format, "--pieces-file", self.text, "--text-file", self.text, says="--pieces-file")
        self.fails(1, *self.format, "--pieces-file", self.tools, says=(str(self.tools), "line 1"))
        self.fails(1, "parse-reply", "--format", "hermes", "--tools", self.text, says=(str(self.text), "JSON"))


support.main()
