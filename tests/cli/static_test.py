"""skald run with fixed shapes: the same tokens, what was copied, the bytes that kv-size says, and wrong usage."""
import json
import re

import support

RUN = ("run", "-p", "Once upon a time", "-n", "60", "--temp", "0", "--ignore-eos", "--print-ids", "--no-warmup")
STATIC = (*RUN, "--static", "16")


def statistics(r):
    """(bytes, tokens, shifts, copies, bytes copied per token) of the line on stderr."""
    line = next(x for x in r.stderr.decode().splitlines() if x.startswith("static:"))
    numbers = re.search(r"bits, ([\d,]+) bytes .*; (\d+) tokens, (\d+) shifts, (\d+) copies, ([\d.]+) bytes", line).groups()
    return tuple(float(x.replace(",", "")) for x in numbers)


class Static(support.CliTest):
    def test_gives_the_same_tokens(self):
        want = self.ok(*RUN)
        for context in ("64", "65", "200"):
            for reserve in ("2.0", "1.5"):
                self.assertEqual(self.ok(*RUN, "--static", context, "--kv-reserve", reserve), want, (context, reserve))

    def test_gives_the_same_text(self):
        args = ("run", "-p", "One day", "-n", "40", "--temp", "0.8", "-s", "3")
        self.assertEqual(self.ok(*args, "--static", "100"), self.ok(*args))

    def test_goes_on_past_the_window_alike_with_any_reserve(self):
        self.assertEqual(len(self.ok(*STATIC).split()), 60)
        self.assertEqual(self.ok(*STATIC, "--kv-reserve", "1.5"), self.ok(*STATIC))
        ids = support.comma([5, 6, 7] * 20)
        self.assertEqual(len(self.ids("--prompt-ids", ids, "-n", "5", "--static", "2", "--ignore-eos")), 5)

    def test_says_what_was_copied(self):
        prompt = re.findall(rb"\d+", self.ok("tokenize", "-p", "Once upon a time", "--ids"))
        appended = len(prompt) + 60 - 1  # the last token is not fed back
        token_bytes = json.loads(self.ok("kv-size", "-c", "16", "--json"))["token_bytes"]
        size, tokens, shifts, copies, per_token = statistics(support.skald(*STATIC))
        self.assertEqual((tokens, shifts, copies), (appended, appended, appended // 15))
        self.assertAlmostEqual(per_token, copies * 15 * token_bytes / appended, delta=0.06)
        self.assertGreater(statistics(support.skald(*STATIC, "--kv-reserve", "1.5"))[3], copies)
        self.assertEqual(statistics(support.skald(*RUN, "--static", "100"))[3:], (0, 0))

    def test_takes_the_bytes_that_kv_size_says(self):
        for reserve in ("2.0", "1.5"):
            for bits in ("16", "8"):
                want = json.loads(self.ok("kv-size", "-c", "16", "--reserve", reserve, "--bits", bits, "--json"))["bytes"]
                r = support.skald(*STATIC, "--kv-reserve", reserve, "--kv-bits", bits, "--kv-report")
                self.assertEqual(statistics(r)[0], want)
                self.assertRegex(r.stderr.decode(), rf"\| all +\| +{want:,} \|")

    def test_of_eight_bits_reports_scales_that_can_be_given(self):
        eight = (*STATIC, "--kv-bits", "8")
        r = support.skald(*eight, "--kv-report")
        (scales,) = re.findall(r"^--kv-scale (\S+)$", r.stderr.decode(), re.MULTILINE)
        self.assertEqual(self.ok(*eight, "--kv-scale", scales), r.stdout)
        self.assertEqual(len(self.ok(*eight, "--kv-scale", "0.05").split()), 60)

    def test_ends_where_the_context_does(self):
        self.assertEqual(len(self.ids("--prompt-ids", "5,6,7", "--static", "8", "-c", "20", "--ignore-eos")), 17)


class WrongUsage(support.CliTest):
    def test_values_out_of_range(self):
        for value in ("1", "0", "-5", "x", "99999999999"):
            self.fails(2, *RUN, "--static", value, says="static")
        self.fails(2, *STATIC, "--kv-reserve", "3", says="want 2.0 or 1.5")
        self.fails(2, *STATIC, "--kv-bits", "4", says="kv-bits")
        for value in ("0", "-1", "nan", "x"):
            self.fails(2, *STATIC, "--kv-bits", "8", "--kv-scale", value, says="kv-scale")
        self.fails(2, *STATIC, "--kv-scale", "1", says=("kv-scale", "kv-bits"))
        self.fails(1, *STATIC, "--kv-bits", "8", "--kv-scale", "1,2,3", says=("kv-scale", "3 numbers"))

    def test_flags_that_do_not_go_together(self):
        for others in (("--sparq", "--sparq-ratio", "8"), ("--context-shift",), ("--swa-sinks", "2"), ("--no-fused",),
                       ("--kv-layout", "rows")):
            self.fails(2, *STATIC, *others, says=("--static", others[0]))
        for flag in ("-ctk", "-ctv"):
            self.fails(2, *STATIC, flag, "q8_0", says=("--static", flag))

    def test_flags_that_want_it(self):
        for flag, value in (("--kv-reserve", "2.0"), ("--kv-bits", "8"), ("--kv-scale", "1")):
            self.fails(2, *RUN, flag, value, says=(flag, "--static"))

    def test_help_lists_the_flags(self):
        text = self.ok("run", "--help").decode()
        for flag in ("--static", "--kv-reserve", "--kv-bits", "--kv-scale"):
            self.assertIn(flag, text)


support.main()
