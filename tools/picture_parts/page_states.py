"""States of the web page, each as the bytes of a picture: the server, the embedded model and the browser are the real ones.

The model writes neither formulas nor code: the page imports a chat that has them.
"""
import base64
import contextlib
import http.client
import json
import signal
import tempfile
import time
import urllib.request
from pathlib import Path

from browser import Browser  # of the tests
from picture_parts.programs import line_with, running

TALE = " ".join(f"On day {day} the boat saw {day + 1} whales." for day in range(1, 49))
STORY = "Once upon a time there was a small boat"
ANSWERED = ("return document.getElementById('stop').hidden &&"
            " document.querySelector('.last[data-role=assistant] [data-testid=message-text]')?.innerText.length > 0")
FORMULA = r"""The distance of two points $(x_1, y_1)$ and $(x_2, y_2)$ follows from Pythagoras' theorem:

$$
d = \sqrt{(x_2 - x_1)^2 + (y_2 - y_1)^2}
$$

```python
from math import hypot

def distance(a, b):
    return hypot(b[0] - a[0], b[1] - a[1])  # of two pairs
```

| points | distance |
|---|---|
| (0, 0), (3, 4) | 5 |
| (1, 1), (1, 8) | 7 |
"""
IMPORTED = {"format": "skald-chats", "version": 1, "chats": [
    {"id": "a", "title": "Distances", "named": True, "updated": int(1000 * time.time()), "error": None, "messages": [
        {"role": "user", "content": "How far apart are two points?"}, {"role": "assistant", "content": FORMULA, "finish": "stop"}]}]}
STATES = {}


def state(function):
    """Names a function of STATES, which takes the program and returns a picture."""
    STATES[function.__name__] = function
    return function


class Page(Browser):
    def open(self, url, size, theme="light"):
        self.size(*size)
        self.go(url)
        self.run("localStorage['skald.theme'] = arguments[0]", theme)
        self.go(url)
        self.until("return document.getElementById('kv').dataset.free")

    def say(self, text):
        """Sends a message and waits for its answer."""
        self.keys("prompt", text)
        self.click("send")
        self.until(ANSWERED)

    def give(self, **files):
        """Picks files of these texts; "_" in a name is its dot."""
        with tempfile.TemporaryDirectory() as folder:
            paths = [Path(folder) / name.replace("_", ".") for name in files]
            for path, text in zip(paths, files.values()):
                path.write_text(text)
            self.keys("file-choice", "\n".join(map(str, paths)))
            self.until("const e = [...document.querySelectorAll('#composer .file-details')]; return e.length === arguments[0] &&"
                       " e.every((one) => one.textContent.includes('tokens'))".replace("arguments[0]", str(len(files))))

    def shot(self, hook=None):
        """Returns a picture of the page or an element, with all that moves at its end, and without focus or a pointer."""
        self.run("document.activeElement.blur()")
        self.developer("Input.dispatchMouseEvent", type="mouseMoved", x=300, y=2)
        self.run("for (const a of document.getAnimations()) if (a.effect.getTiming().iterations !== Infinity) a.finish()")
        return base64.b64decode(self.ask("GET", f"/element/{self.element(hook)}/screenshot")) if hook else self.picture()


@contextlib.contextmanager
def page_of(skald, *flags, seed="4", size=(900, 560), theme="light"):
    """A server, its address, and its page."""
    with running(skald, "serve", "--port", "0", "-s", seed, *flags) as server, Page() as page:
        url = line_with(server, r"listening on (\S+)")
        page.open(url, size, theme)
        yield server, url, page


@contextlib.contextmanager
def stopped(server):
    """Stops a server, until the block ends."""
    server.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        server.send_signal(signal.SIGCONT)


@contextlib.contextmanager
def another(url, **fields):
    """A request of another client, which would take minutes, until the block ends: it runs, or waits if it is a stream."""
    client = http.client.HTTPConnection(url.removeprefix("http://"))
    client.request("POST", "/v1/completions", json.dumps({"prompt": TALE, "n": 100, "ignore_eos": True, **fields}))
    if fields.get("stream"):
        client.getresponse()  # its head is sent when the request is in the queue
    while not any(slot["is_processing"] for slot in json.load(urllib.request.urlopen(f"{url}/slots"))):
        pass
    try:
        yield
    finally:
        client.close()


@state
def page(skald):
    with page_of(skald, "-n", "120", size=(1000, 617)) as (_, _, shown):
        shown.say(STORY)
        return shown.shot()


@state
def empty(skald):
    with page_of(skald) as (_, _, shown):
        return shown.shot()


@state
def waiting(skald):
    with page_of(skald, "-np", "1") as (_, url, shown):
        with another(url), another(url, stream=True):
            shown.keys("prompt", STORY)
            shown.click("send")
            shown.until("return document.querySelector('.reading p')?.textContent.includes('1 other')")
            return shown.shot()


@state
def reading(skald):
    """The server runs for some milliseconds at a time: the embedded model reads its whole context in a moment."""
    done = "const e = document.querySelector('.last [role=progressbar]'); return e?.ariaValueNow / e?.ariaValueMax || 0"
    with page_of(skald, "-n", "60", "-ub", "32", "-t", "1") as (server, _, shown):
        shown.say(STORY)
        shown.give(tale_txt=TALE)
        shown.keys("prompt", "Go on.")
        with stopped(server):
            shown.click("send")
            while shown.run(done) < 0.5:
                server.send_signal(signal.SIGCONT)
                time.sleep(0.004)
                server.send_signal(signal.SIGSTOP)
                time.sleep(0.05)
            return shown.shot()


@state
def full(skald):
    with page_of(skald, "-n", "200") as (_, _, shown):
        shown.say(STORY)
        while not shown.run("return document.querySelector('.last [data-testid=left-out]:not([hidden])') &&"
                            " document.getElementById('context').ariaValueNow > 800"):
            shown.say("And then?")
        return shown.shot()


@state
def files(skald):
    with page_of(skald, "-n", "40") as (_, _, shown):
        shown.say(STORY)
        shown.give(boats_csv="name,length\n" + "\n".join(f"boat {i},{i + 3}" for i in range(20)), tale_md="# A tale\n\nThe boat sailed.\n",
                   whales_txt=TALE * 3)
        shown.keys("prompt", "Which boat is the longest?")
        return shown.shot()


@state
def versions(skald):
    with page_of(skald, "-n", "90", seed="-1") as (_, _, shown):
        shown.say(STORY)
        for _ in range(2):
            shown.click("regenerate")
            shown.until(ANSWERED)
        shown.run("document.querySelector('.last [data-testid=version-previous]').click()")
        shown.until("return document.querySelector('.last [data-testid=version-count]').textContent === '2 / 3'")
        return shown.shot()


@state
def search(skald):
    with page_of(skald, "-n", "60") as (_, _, shown):
        for beginning in ("One day a girl found a whale", "The king had a cat", "There was a dog in the park", STORY, "A bird sat in a tree"):
            shown.say(beginning)
            shown.run("document.getElementById('new-chat').click()")
        shown.keys("chat-search", "old clock")
        shown.run("document.querySelector('.chat-title').click()")
        return shown.shot()


@state
def settings(skald):
    flags = ("--override-kv", "general.sampling.top_k=int:20", "-n", "300")
    with page_of(skald, *flags, size=(900, 1260)) as (_, _, shown):
        shown.until("return document.getElementById('param-top_k').placeholder === '20'")
        shown.run("document.getElementById('settings').click()")
        for hook, text in (("param-system", "Answer in one sentence."), ("param-temperature", "0.6"), ("preset-name", "Brief")):
            shown.keys(hook, text)
        shown.run("document.querySelector('[data-testid=preset-save]').click()")
        shown.run("document.getElementById('settings-panel').scrollTop = 0")
        return shown.shot("settings-panel")


@state
def cache(skald):
    with page_of(skald, "-n", "60", "-np", "2") as (_, url, shown):
        shown.give(tale_txt=TALE)
        shown.say("Go on.")
        with another(url):
            shown.run("document.getElementById('kv').click()")
            shown.until("return document.querySelectorAll('.kv-slots li').length >= 2")
            return shown.shot()


@state
def formula(skald):
    with page_of(skald, size=(900, 760), theme="dark") as (_, _, shown), tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(IMPORTED, file)
        file.flush()
        shown.keys("import-file", file.name)
        shown.until("return document.querySelector('.katex') && document.fonts.status === 'loaded'")
        return shown.shot()


@state
def error(skald):
    with page_of(skald, "-n", "60") as (server, _, shown):
        shown.say(STORY)
        server.kill()
        server.wait()
        shown.keys("prompt", "And then?")
        shown.click("send")
        shown.until("return document.querySelector('[data-testid=error]')")
        return shown.shot()


@state
def phone(skald):
    with page_of(skald, "-n", "120", size=(390, 780)) as (_, _, shown):
        shown.say(STORY)
        return shown.shot()
