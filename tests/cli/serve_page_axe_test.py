"""The web page by the rules of axe-core, in Chromium: sizes of a phone, a tablet and a laptop, light and dark, with all that can be opened.

Needs Chromium with its driver, and axe.min.js: `tools/setup.sh --axe`."""
import json
import sys
import unittest
from pathlib import Path

import browser
import support
from mcp_server import McpServer
from serve_page_files_test import GIVE, WRITTEN
from serve_page_test import SLOW
from server import Server

ROOT = Path(__file__).resolve().parents[2]
AXE = next(ROOT.glob("build/axe-venv/lib/python*/site-packages/axe_playwright_python/axe.min.js"), None)
SIZES = [(390, 844), (820, 1180), (1280, 800)]
MINOR = ("minor", None)

ANSWER = """# A heading

A [link](https://example.org), `code` and **more**.

```python
print("a line of code that is far too long for a phone and has to be scrolled or wrapped") # remark 42
```

- [x] done
- open

| a | b |
|---|---|
| 1 | 2 |

> quoted

$$
x = \\frac{1}{2} \\quad \\mathcal{L} \\qquad \\sum_{n=1}^{\\infty} n^{-2} = \\frac{\\pi^2}{6}
$$

An error: $\\frac{1}$
"""
CALL = {"id": "c", "name": "get_time", "arguments": '{"zone": "UTC"}'}
CHAT = {"id": "full", "title": "All that a chat may have", "named": True, "updated": 1, "error": "The server failed.", "messages": [
    {"role": "user", "content": "a.txt\nShow me everything.", "files": [{"name": "a.txt", "size": 5, "tokens": 2, "length": 6}]},
    {"role": "assistant", "content": "An older answer."},
    {"role": "assistant", "content": ANSWER, "parent": 0, "reasoning": "Let me *think*.", "seconds": 3, "calls": [CALL], "finish": "length", "speed": 12.3,
     "promptTokens": 100, "cachedTokens": 64, "tokens": 80, "leftOut": 2, "context": 1024}]}
MADE = {**CALL, "server": "box", "tool": "get_time"}
ASKING = {**CHAT, "id": "asking", "error": None, "messages": [CHAT["messages"][0], {"role": "assistant", "content": "", "finish": "tool_calls", "calls": [
    {**MADE, "result": "no clock", "failed": True}, {**MADE, "result": "The user declined this call.", "declined": True}, {**MADE, "arguments": "{"}, MADE]}]}
OPEN = "const e = document.getElementById(arguments[0]); if (e.getAttribute('aria-expanded') === 'false') e.click()"
RUN = """
const done = arguments[0];
axe.run({resultTypes: ['violations']}).then(({violations}) => done(violations.map(({id, impact, nodes}) =>
    ({id, impact, nodes: nodes.map(({html, failureSummary}) => html.slice(0, 200) + ' ' + failureSummary)}))), (error) => done([String(error)]));
"""


class ServePageAxeTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        tools = McpServer()
        cls.addClassCleanup(tools.close)
        cls.server = cls.enterClassContext(Server("--chat-template", "chatml", "-np", 1, "--mcp", f"box={tools.url}", "--mcp", "down=http://127.0.0.1:1"))
        cls.page = cls.enterClassContext(browser.Browser())
        cls.axe = AXE.read_text()

    def show(self, size, theme, chat=CHAT):
        """Shows a stored chat; None: a new one."""
        self.page.size(*size)
        self.page.go(f"http://127.0.0.1:{self.server.port}/")
        keep = "localStorage['skald.theme'] = arguments[0]; localStorage['skald.chat.' + arguments[2]] = arguments[1]; sessionStorage['skald.current'] = arguments[3]"
        self.page.run(keep, theme, json.dumps(chat or CHAT), (chat or CHAT)["id"], chat["id"] if chat else "")
        self.page.go(f"http://127.0.0.1:{self.server.port}/")
        self.page.until("return document.getElementById('kv').dataset.free")
        self.page.run(self.axe)

    def check(self, what):
        # Colours on their way to others are none to judge.
        self.page.run("for (const a of document.getAnimations()) if (a.effect.getTiming().iterations !== Infinity) a.finish()")
        faults = [fault for fault in self.page.run_async(RUN) if isinstance(fault, str) or fault["impact"] not in MINOR]
        self.assertEqual(faults, [], f"{what}: {json.dumps(faults, indent=1)}")

    def in_all(self, state, chat=CHAT):
        """Checks the page in all sizes and colours, after state()."""
        for size in SIZES:
            for theme in ("light", "dark"):
                with self.subTest(size=size, theme=theme):
                    self.show(size, theme, chat)
                    state()
                    self.check(f"{size[0]} {theme}")

    def test_a_new_chat(self):
        self.in_all(lambda: None, chat=None)

    def test_a_chat_with_all_that_one_may_have(self):
        self.in_all(lambda: self.page.run("for (const e of document.querySelectorAll('details')) e.open = true"))

    def test_the_sidebar(self):
        self.in_all(lambda: self.page.run(OPEN, "sidebar-toggle"))

    def test_the_settings(self):
        self.in_all(lambda: self.page.run(OPEN, "settings"))

    def test_the_tools_of_servers(self):
        def switch_on():
            self.page.run(OPEN, "settings")
            self.page.until("return document.querySelector('[data-testid=mcp-server]')")
            self.page.run("for (const box of document.querySelectorAll('[data-testid=mcp-server]')) if (!box.checked) box.click()")
            self.page.until("return document.querySelector('[data-testid=mcp-tool]') && document.querySelector('.servers .wrong')")
        self.in_all(switch_on)

    def test_a_tool_that_waits_for_the_users_word(self):
        self.in_all(lambda: self.page.until("return document.querySelector('[data-testid=tool-question]:not([hidden])')"), chat=ASKING)

    def test_the_cache(self):
        def open_cache():
            self.page.run(OPEN, "kv")
            self.page.until("return document.querySelector('#kv-panel dl')")
        self.in_all(open_cache)

    def test_a_message_that_is_edited(self):
        self.in_all(lambda: self.page.run("document.querySelector('[data-testid=edit]').click()"))

    def test_files_that_wait_and_do_not_fit(self):
        def give():
            self.page.run(GIVE, "drop", "a.txt", "text")
            self.page.run(GIVE, "drop", "big.txt", "word " * 3000)
            self.page.until(f"{WRITTEN}.length === 2")
            self.page.until("return document.getElementById('files-note').textContent")
        self.in_all(give)

    def test_a_prompt_that_is_read(self):
        def read():
            self.page.run(SLOW)
            self.page.click("retry")
            self.page.until("return typeof window.say === 'function'")
            self.page.run("say({prompt_progress: {total: 7000, cache: 64, processed: 1000, time_ms: 5}})")
            self.page.until("return !document.querySelector('.last [data-testid=reading]').hidden")
        self.in_all(read)

    def test_a_request_that_waits(self):
        def wait():
            self.page.click("retry")
            self.page.until("return document.querySelector('.last [data-testid=reading] p')?.textContent")
        with self.server.busy():
            self.in_all(wait)

    def test_a_message_that_was_searched(self):
        def search():
            self.page.run(OPEN, "sidebar-toggle")
            self.page.keys("chat-search", "older")
            self.page.run("document.querySelector('.chat-title').click()")
            self.page.until("return document.querySelector('.found')")
        self.in_all(search)

    def test_settings_with_a_preset_and_faults(self):
        def fill():
            self.page.run(OPEN, "settings")
            self.page.keys("preset-name", "Brief")
            self.page.click("preset-save")
            self.page.keys("param-top_k", "many\t")
            self.page.until("return document.querySelector('.wrong:not([hidden])')")
        self.in_all(fill)


if __name__ == "__main__":
    if not browser.is_there():
        print("skipped: no Chromium with chromedriver, so that the page is not checked in a browser", file=sys.stderr)
    elif not AXE:
        print("skipped: no axe-core (tools/setup.sh --axe), so that the page is not checked by it", file=sys.stderr)
    else:
        unittest.main()
