"""Chromium for tests and pictures, by the protocol of WebDriver (https://www.w3.org/TR/webdriver/)."""
import base64
import json
import re
import shutil
import subprocess
import tempfile
import time
import urllib.request

DRIVER = shutil.which("chromedriver")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
         "--disable-background-networking"]


def is_there():
    """Tells whether this machine has a browser and its driver."""
    return bool(DRIVER and CHROMIUM)


class Browser:
    def __init__(self, **options):
        """Starts it with these options of Chromium's driver."""
        self.profile = tempfile.TemporaryDirectory()
        self.session = f"http://127.0.0.1:{self.start()}/session"
        options |= {"binary": CHROMIUM, "args": [*FLAGS, f"--user-data-dir={self.profile.name}"]}
        made = self.ask("POST", "", {"capabilities": {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": options}}})
        self.session += "/" + made["sessionId"]

    def start(self, tries=3):
        """Starts the driver and returns its port. The driver ends where another program takes the port that it has chosen."""
        for _ in range(tries):
            self.process = subprocess.Popen([DRIVER, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            for line in self.process.stdout:
                if found := re.search(r"successfully on port (\d+)", line):
                    return found[1]
            self.process.wait()
            self.process.stdout.close()
        raise RuntimeError("chromedriver did not start")

    def ask(self, method, path, body=None):
        data = json.dumps(body or {}).encode() if method == "POST" else None
        request = urllib.request.Request(self.session + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            return json.loads(urllib.request.urlopen(request, timeout=60).read())["value"]
        except urllib.error.HTTPError as e:
            raise RuntimeError(json.loads(e.read())["value"]["message"]) from None

    def go(self, url):
        self.ask("POST", "/url", {"url": url})

    def run(self, script, *args):
        """Returns the value of a script's `return`."""
        return self.ask("POST", "/execute/sync", {"script": script, "args": args})

    def run_async(self, script, *args):
        """Returns the value that a script passes to its last argument, a function."""
        return self.ask("POST", "/execute/async", {"script": script, "args": args})

    def developer(self, command, **parameters):
        """Sends a command of Chromium's own protocol."""
        return self.ask("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def size(self, width, height):
        """Gives the page this many pixels, which windows do not allow below 500."""
        self.developer("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def element(self, hook):
        selector = f'[data-testid="{hook}"]'
        return next(iter(self.ask("POST", "/element", {"using": "css selector", "value": selector}).values()))

    def click(self, hook):
        self.ask("POST", f"/element/{self.element(hook)}/click")

    def keys(self, hook, text):
        self.ask("POST", f"/element/{self.element(hook)}/value", {"text": text})

    def press(self, *keys):
        """Presses keys together, where the focus is."""
        acts = [{"type": "keyDown", "value": key} for key in keys] + [{"type": "keyUp", "value": key} for key in reversed(keys)]
        self.ask("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": acts}]})

    def until(self, script, seconds=30):
        """Waits until a script returns a value that counts as true, and returns it."""
        end = time.monotonic() + seconds
        while not (value := self.run(script)):
            if time.monotonic() > end:
                raise TimeoutError(f"not within {seconds} s: {script}")
            time.sleep(0.05)
        return value

    def picture(self):
        """Returns the bytes of a PNG."""
        return base64.b64decode(self.ask("GET", "/screenshot"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.ask("DELETE", "")
        finally:
            self.process.terminate()
            self.process.wait(30)
            self.process.stdout.close()
            self.profile.cleanup()
