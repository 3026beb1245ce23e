"""The web page in Chromium, against a server: what its scripts cannot show without elements."""
import json
import sys
import tempfile
import time
import unittest

import browser
import support
from server import Server

ENTER, ESCAPE = "\ue007", "\ue00c"
CODE = {"id": "code", "title": "Code", "named": True, "updated": 1, "error": None, "messages": [
    {"role": "user", "content": "Code?"}, {"role": "assistant", "content": f"```\n{'long ' * 100}\n```\n\n```\nshort\n```"}]}

# A server that reads a prompt until `window.say` sends what comes next.
SLOW = """
const text = new TextEncoder(), server = window.fetch;
window.fetch = (url, options) => String(url).includes('completions') ?
    Promise.resolve(new Response(new ReadableStream({start: (sink) => window.say = (chunk) => sink.enqueue(
        text.encode(`data: ${JSON.stringify({choices: [{delta: {}}], ...chunk})}\\n\\n`))}))) : server(url, options);
"""
# Time that passes 50 times as fast for timers.
HASTE = "const wait = window.setTimeout; window.setTimeout = (act, ms, ...more) => wait(act, ms / 50, ...more);"


class ServePageTest(unittest.TestCase):
    def setUp(self):
        self.server = self.enterContext(Server("--chat-template", "chatml"))
        self.open_browser()

    def open_browser(self, **options):
        self.page = self.enterContext(browser.Browser(**options))
        self.open()

    def open(self):
        self.page.go(f"http://127.0.0.1:{self.server.port}/")
        self.page.until("return document.getElementById('kv').dataset.free")

    def keep(self, **entries):
        """Opens the page again with these entries of its storage."""
        self.page.run("Object.assign(localStorage, arguments[0])", {f"skald.{name}": json.dumps(value) for name, value in entries.items()})
        self.open()

    def send(self, text):
        """Returns the last answer's counts, its line of turns that are left out, and the error."""
        self.page.run("const p = document.getElementById('prompt'); p.value = arguments[0]; p.dispatchEvent(new Event('input'))", text)
        self.page.click("send")
        self.page.until("return document.getElementById('stop').hidden")
        return self.page.run("return [document.getElementById('context-text').textContent,"
                             " document.querySelector('.last [data-testid=left-out]')?.textContent ?? '',"
                             " document.querySelector('[data-testid=error] p')?.textContent ?? '']")

    def test_a_chat_goes_on_where_the_context_is_full(self):
        self.keep(parameters={"max_tokens": "20", "seed": "1"})
        said = [self.send("Once there was a dog. " * 40) for _ in range(6)]
        self.assertEqual([error for _, _, error in said], [""] * 6)
        self.assertRegex(said[0][0], r"^\d+ of 1,024 tokens of context$")
        self.assertEqual(said[0][1], "")
        self.assertRegex(said[-1][1], r"^The (\d+ )?oldest turns? w(as|ere) left out of the prompt: ")
        self.assertEqual(self.page.run("return document.querySelectorAll('[data-testid=message]').length"), 12)

    def test_a_message_that_no_context_holds_is_told(self):
        self.send("Hello.")
        self.assertRegex(self.send("word " * 3000)[2], r"^The last message is too long: it takes [\d,]+ tokens .* has 1,024\.$")

    def test_a_chat_that_was_never_counted_is_sent_again_with_less(self):
        first = [{"role": "user", "content": "dog " * 600}, {"role": "assistant", "content": "cat " * 600}]
        self.keep(**{"chat.long": {**CODE, "id": "long", "messages": first}})
        self.page.run("document.querySelector('.chat-title').click()")
        _, left_out, error = self.send("And now?")
        self.assertEqual((left_out[:40], error), ("The oldest turn was left out of the prom", ""))

    def test_a_prompt_shows_how_much_of_it_is_read_until_the_answer_begins(self):
        bar = "const e = document.querySelector('.last [role=progressbar]'); return e.checkVisibility() ? e.ariaValueText : ''"
        both_told = f"{bar.replace('return', 'const said =')}; return said.startsWith('3,000') ? said : ''"
        self.page.run(SLOW)
        self.page.keys("prompt", f"Hello{ENTER}")
        self.page.until("return typeof window.say === 'function'")
        for read, ms in ((1000, 0), (3000, 4000)):
            self.page.run("say({prompt_progress: {total: 7000, cache: 1000, processed: arguments[0], time_ms: arguments[1]}})", read, ms)
        self.assertEqual(self.page.until(both_told), "3,000 of 7,000 tokens read, 1,000 spared by the cache, about 8 s left")
        self.page.run("say({choices: [{delta: {content: 'Hi'}}]})")
        self.page.until("return document.querySelector('.last [data-testid=message-text]').textContent === 'Hi'")
        self.assertEqual(self.page.run(bar), "")

    def test_a_request_that_waits_for_a_place_says_so(self):
        self.server = self.enterContext(Server("--chat-template", "chatml", "-np", "1"))
        self.open()
        text = "const e = document.querySelector('.last [data-testid=reading] p'); return e?.checkVisibility() ? e.textContent : ''"
        with self.server.busy():
            self.page.keys("prompt", f"Hello{ENTER}")
            self.assertEqual(self.page.until(text), "Waiting for a free place")
        self.page.until("return document.getElementById('stop').hidden")
        self.assertEqual(self.page.run(text), "")

    def test_a_server_at_rest_is_asked_no_more_until_something_happens(self):
        asked = "return performance.getEntriesByType('resource').filter(({name}) => name.includes('/props')).length"
        self.page.developer("Page.addScriptToEvaluateOnNewDocument", source=HASTE)
        self.open()
        time.sleep(2)
        before = self.page.run(asked)
        time.sleep(1)
        self.assertEqual(self.page.run(asked), before)
        self.page.run("document.body.dispatchEvent(new Event('pointerdown', {bubbles: true}))")
        self.page.until(f"return (() => {{ {asked} }})() > {before}")

    def test_enter_breaks_the_line_where_a_finger_writes(self):
        sent = "return document.querySelectorAll('[data-testid=message]').length"
        self.open_browser(mobileEmulation={"deviceMetrics": {"width": 820, "height": 1180, "pixelRatio": 1, "touch": True}})
        self.page.keys("prompt", f"one{ENTER}two")
        self.assertEqual(self.page.run("const p = document.getElementById('prompt'); return [p.value, p.enterKeyHint]"), ["one\ntwo", "enter"])
        self.assertEqual(self.page.run(sent), 0)
        self.page.click("send")
        self.page.until(sent)

    def test_a_search_tells_its_hits_and_escape_empties_it(self):
        chats = {f"chat.{name}": {**CODE, "id": name, "title": name} for name in ("ant", "bee")}
        chats["chat.bee"]["messages"] = [{"role": "user", "content": "A Hive of\nHONEY"}]
        self.keep(**chats)
        shown = ("return [document.getElementById('chat-hits').textContent,"
                 " ...[...document.querySelectorAll('.chat-title')].map((one) => one.textContent)]")
        self.page.keys("chat-search", "honey hive")
        self.assertEqual(self.page.run(shown), ["1 chat found", "bee"])
        self.page.keys("chat-search", "s")
        self.assertEqual(self.page.run(shown), ["No chat found"])
        self.page.keys("chat-search", ESCAPE)
        self.assertEqual(sorted(self.page.run(shown)), ["", "ant", "bee"])
        self.assertEqual(self.page.run("return document.activeElement.id + document.activeElement.value"), "chat-search")

    def test_the_end_stays_in_sight_while_an_answer_grows_and_until_the_reader_goes_up(self):
        at_end = "const e = document.getElementById('scroller'); return e.scrollHeight - e.clientHeight - e.scrollTop < 2"
        grow = ("document.getElementById('messages').append(Object.assign(document.createElement('p'), {style: 'height: 2000px'}));"
                " document.getElementById('scroller').dispatchEvent(new Event('scroll'))")  # of an earlier scroll, and late
        self.keep(**{"chat.code": CODE})
        self.page.run("document.querySelector('.chat-title').click()")
        for _ in range(2):
            self.page.run(grow)
            self.page.until(at_end)
        self.page.run("document.getElementById('scroller').scrollTop -= 500")
        self.page.until("return !document.getElementById('to-end').hidden")
        self.page.run(grow)
        time.sleep(0.2)
        self.assertFalse(self.page.run(at_end))

    def test_a_hit_is_shown_in_the_version_that_has_it(self):
        long = [{"role": "user" if i % 2 == 0 else "assistant", "content": "word " * 400} for i in range(6)]
        versions = [{"role": "user", "content": "A pond"}, *long[1:], {"role": "user", "content": "A sea", "parent": -1}]
        self.keep(**{"chat.two": {**CODE, "id": "two", "messages": versions}})
        shown = ("return [...document.querySelectorAll('.found')].map((one) => { const box = one.getBoundingClientRect();"
                 " return [one.textContent, box.top >= 0 && box.bottom <= innerHeight]; })")
        self.page.keys("chat-search", "POND")
        self.page.run("document.querySelector('.chat-title').click()")
        self.assertEqual(self.page.run(shown), [["A pond1 / 2", True]])
        self.assertEqual(self.page.run("return document.querySelectorAll('[data-testid=message]').length"), 6)
        self.page.keys("chat-search", ESCAPE)
        self.page.run("document.querySelector('.chat-title').click()")
        self.assertEqual(self.page.run(shown), [])

    def test_a_version_is_shown_again_as_it_was_left(self):
        tree = {**CODE, "id": "tree", "leaf": 2, "messages": [
            {"role": "user", "content": "a1"}, {"role": "assistant", "content": "b1"}, {"role": "user", "content": "c1"},
            {"role": "user", "content": "c2", "parent": 1}, {"role": "user", "content": "a2", "parent": -1}]}
        self.keep(**{"chat.tree": tree})
        self.page.run("document.querySelector('.chat-title').click()")
        for step in ("next", "previous"):
            self.open()  # what was left is kept
            self.page.run(f"document.querySelector('[data-testid=version-{step}]').click()")
        texts = "return [...document.querySelectorAll('[data-testid=message-text]')].map((one) => one.textContent)"
        self.assertEqual(self.page.run(texts), ["a1", "b1", "c1"])

    def field(self, name, text=None):
        """Returns the text of a setting's field, after typing another."""
        return self.page.run("const e = document.getElementById(arguments[0]);"
                             "if (arguments[1] !== null) { e.value = arguments[1]; e.dispatchEvent(new Event('input')); } return e.value", name, text)

    def test_settings_belong_to_a_chat_and_a_new_one_begins_with_the_last(self):
        titles = "return [...document.querySelectorAll('.chat-title')].map((one) => one.textContent)"
        self.field("param-max_tokens", "4")
        self.field("param-system", "Be brief.")
        self.send("First.")
        self.page.click("new-chat")
        self.assertEqual(self.field("param-system"), "Be brief.")
        self.field("param-system", "Be long.")
        self.send("Second.")
        self.assertEqual(self.page.run(titles), ["Second.", "First."])
        self.page.run("document.querySelectorAll('.chat-title')[1].click()")
        self.assertEqual(self.field("param-system"), "Be brief.")
        self.open()
        self.assertEqual(self.field("param-system"), "Be brief.")
        self.page.click("new-chat")
        self.assertEqual(self.field("param-system"), "Be long.")

    def test_a_preset_is_saved_chosen_and_deleted(self):
        choice = "return [...document.getElementById('preset').options].map((one) => one.text)"
        self.page.run("document.getElementById('settings').click()")
        self.field("param-top_k", "7")
        self.field("preset-name", "Narrow")
        self.page.click("preset-save")
        self.page.click("settings-reset")
        self.assertEqual(self.field("param-top_k"), "")
        self.open()
        self.page.run("const e = document.getElementById('preset'); e.value = 'Narrow'; e.dispatchEvent(new Event('change'))")
        self.assertEqual(self.field("param-top_k"), "7")
        self.page.run("document.getElementById('settings').click()")
        self.page.click("preset-delete")
        self.assertEqual(self.page.run(choice), ["No preset is saved"])
        self.assertEqual(self.field("param-top_k"), "7")

    def test_a_default_says_its_value_and_its_source(self):
        flags = ("--override-kv", "general.sampling.top_k=int:9", "-n", "50", "--reasoning-budget", "7")
        hint = "return document.getElementById(`param-${arguments[0]}-hint`).textContent"
        self.server = self.enterContext(Server("--chat-template", "chatml", *flags))
        self.open()
        self.page.until("return document.getElementById('param-top_k').placeholder === '9'")
        self.assertEqual(self.page.run(hint, "top_k"), "Default: 9, from the model’s file.")
        # The API of chats has OpenAI's, and not that of llama-server.
        self.assertEqual(self.page.run(hint, "temperature"), "Default: 1, from the server.")
        self.assertEqual(self.page.run(hint, "max_tokens"), "Default: 50, from the server.")
        self.assertEqual(self.page.run(hint, "reasoning_budget"), "Default: 7, from the server. 0: no thinking.")

    def take(self, text):
        """Imports a file with this text. Returns the page's words about it."""
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            file.write(text)
            file.flush()
            self.page.run("document.querySelector('[data-testid=import-told]').textContent = ''")
            self.page.keys("import-file", file.name)
            return self.page.until("return document.querySelector('[data-testid=import-told]').textContent")

    def test_chats_go_to_a_file_and_come_back_beside_those_that_are_there(self):
        tree = {**CODE, "id": "tree", "title": "A tree", "leaf": 1, "messages": [
            {"role": "user", "content": "<script>pwned = 1</script>"}, {"role": "assistant", "content": "<img src=x onerror='pwned = 1'>"},
            {"role": "assistant", "content": "Another.", "parent": 0}]}
        self.keep(**{"chat.tree": tree})
        self.page.run("document.querySelector('.chat-title').click(); document.getElementById('settings').click()")
        self.page.run("window.saved = []; URL.createObjectURL = (blob) => { blob.text().then((text) => saved.push(text)); return '#'; };"
                      "HTMLAnchorElement.prototype.click = function() { saved.push(this.download); }")
        for hook in ("export-json", "export-markdown", "export-all"):
            self.page.click(hook)
        saved = self.page.until("return saved.length === 6 && saved")
        self.assertEqual(saved[0::2], ["A-tree.json", "A-tree.md", "skald-chats.json"])
        self.assertEqual(json.loads(saved[1])["chats"], [tree])
        self.assertIn("## Answer\n\n<img src=x", saved[3])
        self.assertEqual(self.take(saved[1]), "1 chat was imported.")
        self.assertEqual(self.versions(), ["1 / 2"])
        self.assertEqual(self.texts()[0], "<script>pwned = 1</script>")
        self.assertEqual(self.page.run("return [document.querySelectorAll('.chat-item').length, window.pwned ?? 0]"), [2, 0])
        self.assertEqual(self.page.run("return JSON.parse(localStorage['skald.chat.tree'])"), tree)
        self.assertRegex(self.take('{"format": "skald-chats", "version": 1, "chats": [{"id": 5}]}'), r"Chat 1: “title” is missing\. No chat was")
        self.assertEqual(self.page.run("return document.querySelectorAll('.chat-item').length"), 2)

    def texts(self):
        return self.page.run("return [...document.querySelectorAll('[data-testid=message-text]')].map((one) => one.textContent)")

    def versions(self):
        return self.page.run("return [...document.querySelectorAll('[data-testid=version-count]')]"
                             ".filter((one) => one.checkVisibility()).map((one) => one.textContent)")

    def edit(self, text):
        """Edits the first message, and waits for the answer."""
        self.page.click("edit")
        self.page.run("document.querySelector('[data-testid=edit-box]').value = arguments[0]", text)
        self.page.click("edit-save")
        self.page.until("return document.getElementById('stop').hidden")

    def test_versions_of_messages_stay_and_are_chosen_by_the_keyboard(self):
        self.keep(parameters={"max_tokens": "8", "temperature": "0"})
        self.send("A pond.")
        self.send("And a dog?")
        first = self.texts()
        self.page.run("document.querySelector('.last [data-testid=regenerate]').click()")
        self.page.until("return document.getElementById('stop').hidden")
        self.assertEqual(self.versions(), ["2 / 2"])
        self.edit("A snail.")
        self.assertEqual(self.versions(), ["2 / 2"])
        self.assertEqual(len(self.texts()), 2)
        self.page.run("document.querySelector('[data-testid=version-previous]').focus()")
        self.page.press(ENTER)
        self.assertEqual(self.versions(), ["1 / 2", "2 / 2"])
        self.assertEqual(self.texts(), first)
        self.assertEqual(self.page.run("return document.activeElement.ariaLabel"), "Next version")
        self.assertEqual(self.page.run("return document.getElementById('announcer').textContent"), "Version 1 of 2")
        self.open()
        self.page.until("return document.querySelector('[data-testid=message]')")
        self.assertEqual(self.texts(), first)
        self.page.run("window.sent = []; const ask = window.fetch;"
                      "window.fetch = (url, options) => { if (options?.body) sent.push(options.body); return ask(url, options); }")
        self.send("And then?")
        sent = json.loads(self.page.run("return sent[0]"))["messages"]
        self.assertEqual([one["content"] for one in sent if one["role"] == "user"], ["A pond.", "And a dog?", "And then?"])

    def test_an_answer_that_fails_leaves_its_older_version(self):
        self.send("Hello.")
        before = self.texts()
        self.page.run("const ask = window.fetch; window.fetch = (url, options) => options?.body ? Promise.reject(new TypeError()) : ask(url, options)")
        self.page.click("regenerate")
        self.page.until("return document.querySelector('[data-testid=error]')")
        self.assertEqual(self.texts(), before)
        self.edit("Goodbye.")
        self.page.click("version-previous")
        self.assertEqual(self.texts(), before)
        self.page.click("version-next")
        self.assertEqual(self.page.run("return document.querySelector('[data-testid=error] p').textContent"), "This message has no answer.")

    def test_wrapped_lines_of_code_are_remembered(self):
        self.keep(**{"chat.code": CODE})
        wide = "const pre = document.querySelector('.code pre'); return pre.scrollWidth > pre.clientWidth"
        pressed = "return [...document.querySelectorAll('[data-testid=wrap-code]')].map((one) => one.ariaPressed)"
        self.page.run("document.querySelector('.chat-title').click()")
        self.assertTrue(self.page.run(wide))
        self.page.click("wrap-code")
        self.assertFalse(self.page.run(wide))
        self.assertEqual(self.page.run(pressed), ["true", "true"])
        self.open()
        self.page.until("return document.querySelector('[data-testid=wrap-code]')")
        self.assertFalse(self.page.run(wide))
        self.assertEqual(self.page.run(pressed), ["true", "true"])


if __name__ == "__main__":
    if not browser.is_there():
        print("skipped: no Chromium with chromedriver, so that the page is not used in a browser", file=sys.stderr)
    else:
        unittest.main()
