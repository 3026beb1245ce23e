"""Whether a context fits into the memory: one that no flag asked for becomes shorter, another is refused."""
import re

import support

GO = ("run", "-p", "Once upon a time", "--temp", "0", "--print-ids", "--no-warmup")
HUGE = 1 << 30  # tokens: more memory than any machine has for them
LONG = ("--override-kv", f".context_length=int:{HUGE}")


class Fit(support.CliTest):
    def test_a_context_that_was_not_asked_for_becomes_shorter(self):
        r = support.skald(*GO, *LONG)
        self.assertEqual(r.returncode, 0, r.stderr)
        line = next(line for line in r.stderr.decode().splitlines() if "which fits" in line)
        found = re.match(r"skald: a context of ([\d,]+) tokens, which fits: .*a cache of ([\d,]+) tokens [\d.]+ [GT]iB and steps .*; there are [\d.]+ [MGT]iB$", line)
        self.assertTrue(found, line)
        fits, wanted = (int(n.replace(",", "")) for n in found.groups())
        self.assertEqual(wanted, HUGE)
        self.assertTrue(512 <= fits < HUGE and fits % 256 == 0, fits)
        self.assertEqual(r.stdout, self.ok(*GO))

    def test_one_that_was_asked_for_is_refused_with_one_that_fits(self):
        for words, env in (((*LONG, "-c", HUGE), {}), (LONG, {"SKALD_CTX_SIZE": str(HUGE)})):
            r = support.skald(*GO, *words, **env)
            self.assertEqual((r.returncode, r.stdout), (1, b""))
            found = re.search(r"--ctx-size \(-c\): .*; a context of ([\d,]+) fits", r.stderr.decode())
            self.assertTrue(found, r.stderr)
            fits = int(found[1].replace(",", ""))
            self.assertEqual(self.ok(*GO, *LONG, "-c", fits // 2 or 1), self.ok(*GO))

    def test_what_fits_is_not_mentioned(self):
        for words in ((), ("-c", "512")):
            self.assertNotIn(b"fits", support.skald(*GO, "-n", "4", *words).stderr)

    def test_a_chat_says_its_context_and_the_reason(self):
        for words, says in (((), r"context 1,024 tokens: all of the model's"), (("-c", 512), r"context 512 of the model's 1,024 tokens: as -c says"),
                            (("-c", 2000), r"context 2,000 tokens, more than the model's 1,024: as -c says"),
                            (("-c", 1024), r"context 1,024 tokens: as -c says"),
                            (("--override-kv", ".context_length=int:40000"), r"context 16,384 of the model's 40,000 tokens: most chats need no more, and -c sets another")):
            r = support.skald("chat", "--chat-template", "chatml", "-n", 1, *words, stdin=b"Hi")
            self.assertEqual(r.returncode, 0, r.stderr)
            self.assertEqual(re.findall(r"skald: (context .*)", r.stderr.decode()), [says])
        self.assertNotIn(b"context 1,024", support.skald("chat", "--chat-template", "chatml", "-n", 1, stdin=b"Hi", SKALD_LOG="error").stderr)

    def test_a_window_of_fixed_shapes_is_refused(self):
        self.fails(1, *GO, "--static", HUGE, says=("not enough memory", f"a cache of {HUGE:,} tokens"))


support.main()
