"""The web page in Chromium with a server of tools: each call is shown, and runs after the user's word."""
import json
import sys
import tempfile
import unittest
from pathlib import Path

import browser
from mcp_server import McpServer
from server import Server

ENTER, TAB = "\ue007", "\ue004"

# Requests want these tools, one each ("required": any); later ones want none. The rest is the page's and the server's.
FORCE = """
const ask = window.ask ??= window.fetch, wanted = arguments[0];
window.sent = [];
window.fetch = (url, options) => {
    if (!String(url).includes('completions')) return ask(url, options);
    const body = JSON.parse(options.body), name = wanted.shift();
    sent.push(body);
    if (body.tools) body.tool_choice = !name ? 'none' : name === 'required' ? name : {type: 'function', function: {name}};
    return ask(url, {...options, body: JSON.stringify({...body, max_tokens: name ? 200 : 4, seed: 1})});
};
"""
SHOWN = "return [...document.querySelectorAll('[data-testid=\"' + arguments[0] + '\"]')].filter((e) => e.checkVisibility()).map((e) => e.textContent)"
DONE = "return document.getElementById('stop').hidden && !document.querySelector('[data-streaming=true]')"


class ServePageMcpTest(unittest.TestCase):
    def setUp(self):
        self.tools = McpServer(token="sesame")
        self.addCleanup(self.tools.close)
        headers = Path(self.enterContext(tempfile.TemporaryDirectory())) / "headers"
        headers.write_text("Authorization: Bearer sesame\n")
        flags = ("--mcp", f"box={self.tools.url}", "--mcp-headers", f"box={headers}", "--mcp", "down=http://127.0.0.1:1/mcp")
        self.server = self.enterContext(Server("--chat-template", "chatml", "-c", "8192", *flags))
        self.page = self.enterContext(browser.Browser())
        self.open()

    def open(self):
        self.page.go(f"http://127.0.0.1:{self.server.port}/")
        self.page.until("return document.getElementById('kv').dataset.free && document.querySelector('[data-testid=mcp-server]')")

    def shown(self, hook):
        return self.page.run(SHOWN, hook)

    def until_shown(self, hook, text=""):
        return self.page.until(f"const found = (() => {{ {SHOWN.replace('arguments[0]', json.dumps(hook))} }})();"
                               f"return found.some((one) => one.includes({json.dumps(text)})) && found")

    def switch(self, place):
        """Switches a server on or off."""
        self.page.run(f"document.querySelectorAll('[data-testid=mcp-server]')[{place}].click()")

    def send(self, *tools):
        """Sends a message, to which the model calls these tools, one after the other."""
        self.page.run(FORCE, list(tools))
        self.page.keys("prompt", f"Go.{ENTER}")

    def press(self, hook):
        """Presses the button of that kind that is shown last."""
        self.until_shown(hook)
        self.page.run("[...document.querySelectorAll(`[data-testid=${arguments[0]}]`)].filter((e) => e.checkVisibility()).at(-1).click()", hook)

    def sent(self, place):
        return self.page.run("return sent[arguments[0]]", place)

    def focus(self):
        return self.page.run("return document.activeElement.dataset.testid ?? document.activeElement.id")

    def test_a_call_runs_after_the_users_word_and_the_chat_goes_on(self):
        self.page.click("settings")
        self.assertEqual(self.shown("mcp-told"), [])
        self.switch(0)
        self.until_shown("mcp-told", "4 tools.")
        self.page.click("settings")
        self.send("echo")
        self.until_shown("tool-question")
        self.assertEqual([tool["function"]["name"] for tool in self.sent(0)["tools"]], ["echo", "fail", "slow", "count"])
        self.assertEqual(self.focus(), "tool-question")
        self.page.press(ENTER)  # a key that was being typed runs nothing
        self.assertNotIn("tools/call", self.tools.methods)
        self.assertIn('"word": "alpha"', self.shown("tool-call")[0])
        self.assertIn("Run the tool “echo” of the server “box” with these arguments?", self.shown("tool-question")[0])
        self.press("tool-run")
        self.page.until(f"return window.sent.length === 2 && (() => {{ {DONE} }})()")
        told = self.sent(1)["messages"][-1]
        self.assertEqual((told["role"], told["content"]), ("tool", "<img src=x onerror='pwned = 1'> alpha"))
        self.assertEqual(self.shown("tool-given"), [told["content"]])
        self.assertEqual(self.page.run("return [window.pwned ?? 0, document.querySelectorAll('.messages img').length]"), [0, 0])
        self.assertIn(self.focus(), ("prompt", "scroller"))  # the latter where the device has no pointer that hovers
        self.assertEqual(self.tools.methods.count("initialize"), 1)

    def test_declining_tells_the_model_and_an_error_is_shown_as_one(self):
        self.switch(0)
        self.send("echo", "fail")
        self.press("tool-decline")
        self.page.until("return window.sent.length === 2")
        self.assertEqual(self.sent(1)["messages"][-1]["content"], "The user declined this call.")
        self.until_shown("tool-question", "fail")
        self.assertNotIn("tools/call", self.tools.methods)
        self.press("tool-run")
        self.page.until("return window.sent.length === 3")
        self.assertEqual(self.shown("tool-note"), ["Declined.", "The tool says that it failed:"])
        self.assertEqual(self.shown("tool-given"), ["no disk"])

    def test_a_slow_call_is_stopped_and_its_server_told(self):
        self.switch(0)
        self.send("slow")
        self.press("tool-run")
        self.until_shown("tool-state", "Running… 1 of 9: working")
        self.assertEqual(self.shown("tool-question"), [])
        self.page.click("stop")
        self.until_shown("tool-state", "The call was stopped.")
        self.assertTrue(self.tools.cancelled.wait(10))
        self.assertEqual(len(self.shown("tool-question")), 1)
        self.assertEqual(self.page.run("return sent.length"), 1)

    def test_a_tool_that_is_allowed_in_a_chat_runs_by_itself_there(self):
        self.switch(0)
        self.send("count", "count", "count")
        self.press("tool-always")
        self.page.until(f"return window.sent.length === 4 && (() => {{ {DONE} }})()")
        self.assertEqual(self.shown("tool-given"), ["1", "2", "3"])
        self.assertIn(None, self.tools.methods)  # the answer to its ping
        self.page.click("new-chat")
        self.send("count")
        self.until_shown("tool-question")
        self.assertEqual(self.tools.calls, 3)

    def test_a_chat_that_is_opened_again_still_asks_and_goes_on(self):
        self.switch(0)
        self.send("echo")
        self.until_shown("tool-question")
        self.open()
        self.until_shown("tool-question", "echo")
        self.tools.expire()
        self.page.run(FORCE, [])
        self.press("tool-run")
        self.page.until(f"return window.sent.length === 1 && (() => {{ {DONE} }})()")
        self.assertEqual([one["role"] for one in self.sent(0)["messages"]], ["user", "assistant", "tool"])
        self.press("regenerate")
        self.page.until(f"return window.sent.length === 2 && (() => {{ {DONE} }})()")
        self.assertEqual(self.sent(1)["messages"], self.sent(0)["messages"])
        self.assertEqual(self.shown("version-count"), ["2 / 2"])

    def test_one_tool_is_switched_off_and_the_choice_is_the_chats(self):
        self.page.click("settings")
        self.switch(0)
        self.until_shown("mcp-tool")
        self.page.run("document.querySelector('[data-testid=mcp-tool]').click()")
        self.page.click("settings")
        self.send("fail")
        self.until_shown("tool-question")
        self.assertEqual([tool["function"]["name"] for tool in self.sent(0)["tools"]], ["fail", "slow", "count"])
        self.open()
        chosen = "return [...document.querySelectorAll('[data-testid=mcp-tool]')].map((box) => box.checked)"
        self.page.click("settings")
        self.until_shown("mcp-tool")
        self.assertEqual(self.page.run(chosen), [False, True, True, True])

    def test_a_server_that_is_down_is_told_by_its_name(self):
        self.page.click("settings")
        self.switch(1)
        self.until_shown("mcp-told", "the MCP server down: it cannot be reached")
        self.assertEqual(len(self.shown("mcp-again")), 1)
        self.send()
        told = self.until_shown("error")[0]
        self.assertIn("The tools of the server “down” are on and cannot be had: the MCP server down: it cannot be reached", told)
        self.switch(1)
        self.press("retry")
        self.page.until("return document.querySelectorAll('[data-testid=message]').length === 2")

    def test_a_schema_that_the_chat_refuses_is_told_with_its_tool(self):
        self.tools.tools[1]["inputSchema"] = {"type": "object", "properties": {"x": {"type": "wrong"}}}
        self.switch(0)
        self.send("required")
        told = self.until_shown("error")[0]
        self.assertIn("The model cannot have the tool “fail” of the server “box”", told)
        self.assertIn("there is no type", told)


if __name__ == "__main__":
    if not browser.is_there():
        print("skipped: no Chromium with chromedriver, so that the page is not used in a browser", file=sys.stderr)
    else:
        unittest.main()
