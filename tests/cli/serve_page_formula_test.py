"""Formulas of the web page, in Chromium: by the KaTeX that the build carries."""
import json
import sys
import unittest

import browser
from server import Server

TEXT = r"""Inline $a_1^2$ and \(\frac{1}{2}\), prices of $5 and $10, and `$code$`.

$$
\int_0^1 x\,dx
$$

\[ \mathcal{L} \]

- an error $\frac{1}$ and ${'n' * 6000}$
- deep ${"{" * 4000}$ and \(\def\a{\a\a}\a\)
- <b>no</b> $\text{<img src=x onerror="window.bad = 1">}$
- $\href{javascript:window.bad = 1}{a}$ $\htmlStyle{color: red}{b}$ $\includegraphics{https://example.org/i.png}$

```
$x$
```

Half a formula: $\frac{1}{2"""
TEXT = TEXT.replace("{'n' * 6000}", "n" * 6000).replace('{"{" * 4000}', "{" * 4000)
# Remembers what the page's policy refuses.
SPY = "window.refused = []; addEventListener('securitypolicyviolation', (e) => window.refused.push(e.violatedDirective + ' ' + e.sourceFile));"
COUNT = "return document.querySelectorAll('.message-text {}').length"


class ServePageFormulaTest(unittest.TestCase):
    def setUp(self):
        self.server = self.enterContext(Server("--chat-template", "chatml"))
        self.page = self.enterContext(browser.Browser())
        self.page.developer("Page.addScriptToEvaluateOnNewDocument", source=SPY)

    def show(self, text):
        chat = {"id": "math", "title": "Math", "named": True, "updated": 1, "error": None, "messages": [
            {"role": "user", "content": "Math?"}, {"role": "assistant", "content": text, "finish": "stop"}]}
        url = f"http://127.0.0.1:{self.server.port}/"
        self.page.go(url)
        self.page.run("localStorage.setItem('skald.chat.math', arguments[0])", json.dumps(chat))
        self.page.go(url)
        self.page.run("document.querySelector('.chat-title').click()")

    def count(self, selector):
        return self.page.run(COUNT.format(selector))

    def test_formulas_are_typeset_in_their_fonts(self):
        self.show(TEXT)
        if not self.page.run("return Boolean(globalThis.katex)"):
            self.skipTest("this build has no KaTeX")
        sources = self.page.run("return [...document.querySelectorAll('p > span.formula annotation')].map((e) => e.textContent)")
        self.assertEqual(sources, ["a_1^2", r"\frac{1}{2}"])
        self.assertEqual(self.count("div.formula .katex-display"), 2)
        self.assertEqual(self.page.run("return document.querySelector('.message-text code:not(.math)').textContent"), "$code$")
        self.assertIn("prices of $5 and $10", self.page.run("return document.querySelector('.message-text p').textContent"))
        self.page.until("return document.fonts.status === 'loaded'")
        fonts = self.page.run("return [...document.fonts].map((font) => [font.family, font.status])")
        self.assertGreater(len(fonts), 10)
        self.assertEqual({status for _, status in fonts}, {"loaded"})
        self.assertEqual(self.page.run("return window.refused"), [])

    def test_errors_and_halves_are_shown_as_their_source(self):
        self.show(TEXT)
        sources = self.page.run("return [...document.querySelectorAll('.message-text code.math')].map((e) => e.textContent)")
        if self.page.run("return Boolean(globalThis.katex)"):
            self.assertEqual([source[:8] for source in sources], [r"$\frac{1", "$" + "n" * 7, "$" + "{" * 7, r"\(\def\a"])
        last = self.page.run("return [...document.querySelectorAll('.message-text > p')].at(-1).textContent")
        self.assertEqual(last, r"Half a formula: $\frac{1}{2")

    def test_a_formula_brings_no_markup_link_or_picture(self):
        self.show(TEXT)
        self.assertEqual([self.count(kind) for kind in ("img", "a", "b", "[style*=red]")], [0, 0, 0, 0])
        self.assertIsNone(self.page.run("return window.bad ?? null"))

    def test_a_build_without_katex_shows_the_source(self):
        self.page.developer("Page.addScriptToEvaluateOnNewDocument",
                            source="Object.defineProperty(globalThis, 'katex', {get() {}, set() {}})")
        self.show(TEXT)
        self.assertEqual(self.count(".katex"), 0)
        self.assertEqual(self.page.run("return document.querySelector('.math-block').textContent"), "$$\n\\int_0^1 x\\,dx\n$$")


if __name__ == "__main__":
    if not browser.is_there():
        print("skipped: no Chromium with chromedriver, so that the page is not used in a browser", file=sys.stderr)
    else:
        unittest.main()
