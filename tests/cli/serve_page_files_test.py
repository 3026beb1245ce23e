"""Files for messages of the web page, in Chromium."""
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

import browser
from pdf_file import pdf_of
from server import Server

CHIPS = "return [...document.querySelectorAll('{} [data-testid=file]')].map((e) => e.textContent)"
WRITTEN, SENT = CHIPS.format("#composer"), CHIPS.format(".message")
COUNTED = "return [...document.querySelectorAll('#composer .file-details')].every((e) => e.textContent.includes('tokens'))"
# Gives the page a file as a drop or a paste does.
GIVE = """
const [kind, name, text] = arguments, data = new DataTransfer();
data.items.add(new File([text], name));
const target = document.getElementById('prompt');
target.dispatchEvent(kind === 'drop' ? new DragEvent('drop', {dataTransfer: data, bubbles: true, cancelable: true}) :
    new ClipboardEvent('paste', {clipboardData: data, bubbles: true, cancelable: true}));
"""
# Remembers the bodies of requests for answers.
SPY = """
const server = window.fetch;
window.sent = [];
window.fetch = (url, options) => {
  if (String(url).includes('completions')) window.sent.push(JSON.parse(options.body).messages.at(-1).content);
  return server(url, options);
};
"""


class ServePageFilesTest(unittest.TestCase):
    def setUp(self):
        self.server = self.enterContext(Server("--chat-template", "chatml"))
        self.page = self.enterContext(browser.Browser())
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.page.go(f"http://127.0.0.1:{self.server.port}/")
        self.page.until("return document.getElementById('kv').dataset.free")

    def pick(self, **files):
        """Picks files of these bytes; "_" in a name is its dot."""
        paths = [self.folder / name.replace("_", ".") for name in files]
        for path, content in zip(paths, files.values()):
            path.write_bytes(content)
        self.page.keys("file-choice", "\n".join(map(str, paths)))

    def text(self, element):
        return self.page.run("return document.getElementById(arguments[0]).textContent", element)

    def test_files_are_sent_before_the_message_and_shown_as_chips(self):
        self.page.run(SPY)
        self.pick(a_py=b"print(1)\n", b_csv=b"x,y\n")
        self.page.run(GIVE, "drop", "../<b>c.md", "# Title\n")
        self.page.run(GIVE, "paste", "d.txt", "pasted")
        self.page.until(f"{WRITTEN}.length === 4")
        self.page.until(COUNTED)
        chips = self.page.run(WRITTEN)
        self.assertRegex(chips[0], r"^a\.py\d+ tokens · 9 B$")
        self.assertIn("<b>c.md", chips[2])
        self.assertRegex(self.text("context-text"), r"^About (\d+) of 1,024 tokens of context, \1 of them for this message$")
        self.page.run("document.querySelectorAll('[data-testid=remove-file]')[1].click()")
        self.page.keys("prompt", "Why?\ue007")
        self.page.until("return document.getElementById('stop').hidden")
        self.assertEqual(self.page.run("return window.sent[0]"), "a.py:\n```py\nprint(1)\n```\n\n<b>c.md:\n```md\n# Title\n```\n\n"
                                                                 "d.txt:\n```txt\npasted\n```\n\nWhy?")
        self.assertEqual(self.page.run("return document.querySelector('[data-testid=message-text]').textContent"), "Why?")
        self.assertEqual([len(self.page.run(SENT)), self.page.run(WRITTEN)], [3, []])
        self.page.run("document.querySelector('[data-testid=edit]').click()")
        self.page.run("document.querySelector('[data-testid=edit-box]').value = 'How?'")
        self.page.click("edit-save")
        self.page.until("return document.getElementById('stop').hidden && window.sent.length === 2")
        self.assertTrue(self.page.run("return window.sent[1]").endswith("pasted\n```\n\nHow?"))
        self.page.go(f"http://127.0.0.1:{self.server.port}/")
        self.page.until(f"{SENT}.length === 3")

    @unittest.skipUnless(shutil.which("pdftotext"), "no pdftotext")
    def test_pdfs_become_chips_of_their_text(self):
        self.page.run(SPY)
        self.pick(a_pdf=pdf_of("Hello, Skald"), b_pdf=b"%PDF-1.4\n")
        self.assertRegex(self.page.until("return document.getElementById('toasts').textContent"), r"^b\.pdf: the PDF cannot be read")
        self.page.until(COUNTED)
        self.page.click("send")
        self.page.until("return document.getElementById('stop').hidden")
        self.assertRegex(self.page.run("return window.sent[0]"), r"^a\.pdf:\n```pdf\nHello, Skald\n\s*```\n\n$")

    def test_binary_files_are_refused_by_their_names(self):
        self.pick(a_png=b"\x89PNG\0", b_txt=b"text")
        self.page.until(f"{WRITTEN}.length === 1")
        self.assertIn("a.png is no text", self.page.until("return document.getElementById('toasts').textContent"))

    def test_files_that_do_not_fit_are_named_and_not_sent(self):
        self.pick(big_txt=b"word " * 3000)
        note = self.page.until("return document.getElementById('files-note').textContent")
        self.assertEqual(note, "The context has no room for big.txt.")
        self.page.click("send")
        self.assertEqual(len(self.page.run(WRITTEN)), 1)
        self.assertEqual(self.page.run("return document.querySelectorAll('[data-testid=message]').length"), 0)
        self.page.click("remove-file")
        self.assertEqual(self.text("files-note"), "")

    def test_no_more_than_sixteen_files_are_taken(self):
        self.pick(**{f"f{i}_txt": b"x" for i in range(18)})
        self.assertIn("2 were left out", self.page.until("return document.getElementById('toasts').textContent"))
        self.assertEqual(len(self.page.run(WRITTEN)), 16)


if __name__ == "__main__":
    if not browser.is_there():
        print("skipped: no Chromium with chromedriver, so that the page is not used in a browser", file=sys.stderr)
    else:
        unittest.main()
