"""skald eval, as programs see it."""
import json

import support

EVAL = ("eval", "--lengths", "200,300", "--suite", "needle,copy", "-n", "1", "-t", "1", "--attn", "dense,sparq:2")


class Eval(support.CliTest):
    def test_prints_a_row_for_each_question_and_kind_of_attention(self):
        rows = json.loads(self.ok(*EVAL, "-o", "json"))["rows"]
        self.assertEqual([(r["suite"], r["length"], r["attention"]) for r in rows],
                         [(s, n, a) for s in ("needle", "copy") for n in (200, 300) for a in ("dense", "sparq:2")])
        for row in rows:
            self.assertEqual(row["cases"], 1)
            self.assertTrue(0 <= row["score"] <= 1)
            self.assertGreater(row["tokens_per_s"], 0)
            self.assertGreater(row["kv_bytes_per_token"], 0)
        table = self.ok(*EVAL).decode()
        self.assertEqual(table.count("\n"), 2 + len(rows))

    def test_predicts_what_follows_a_text(self):
        text = self.new_folder() / "text.txt"
        text.write_text("".join(f" Once there were {i} little dogs, and {i} big cats." for i in range(100)))
        predict = (*EVAL, "--suite", "perplexity", "-n", "2")
        for file in ((), ("-f", text)):
            rows = json.loads(self.ok(*predict, *file, "-o", "json"))["rows"]
            self.assertEqual([(r["length"], r["attention"]) for r in rows],
                             [(n, a) for n in (200, 300) for a in ("dense", "sparq:2")])
            for row in rows:
                self.assertNotIn("score", row)
                self.assertEqual((row["cases"], row["tokens"]), (2, 128))
                self.assertTrue(0 < row["loss"] < 20)
                self.assertGreater(row["loss_error"], 0)
                self.assertEqual(row["divergence"], 0)  # so short that sparq:2 is dense
        few_words = support.skald(*predict, "-m", support.MODEL, "-f", text, "-o", "json")  # enough: nothing is made up
        self.assertEqual(len(json.loads(few_words.stdout)["rows"]), 4)
        self.assertIn("a context of 364 tokens is more than the 256", few_words.stderr.decode())
        self.assertIn("divergence, nats", support.svg_texts(self.ok(*predict, "-f", text, "-o", "svg")))
        self.assertIn("loss, nats", support.svg_texts(self.ok(*predict, "-f", text, "--attn", "dense", "-o", "svg")))
        self.fails(2, *EVAL, "-f", text, says="perplexity")
        self.fails(1, *predict, "-f", text, "--lengths", "16k", says=("the text has", "tokens"))
        self.fails(1, *predict, "-f", text.with_name("none.txt"), says="none.txt")
        self.fails(2, *predict, "-f", text, "--save", text, says="text.txt")

    def test_reads_less_by_pages_and_for_a_loss(self):
        rows = json.loads(self.ok("eval", "--lengths", "1200", "--suite", "needle", "-n", "1", "-t", "1", "--attn",
                                  "dense,pages:3,auto:0.005", "-o", "json"))["rows"]
        dense, pages, auto = (row["kv_bytes_per_token"] for row in rows)
        self.assertEqual([row["attention"] for row in rows], ["dense", "pages:3", "auto:0.005"])
        self.assertLess(pages, 0.5 * dense)
        self.assertLess(auto, dense)

    def test_tells_once_that_keys_lie_otherwise_than_asked_for(self):
        r = support.skald(*EVAL, "--attn", "dense,sparq:2,sparq:4", "--cache", "q8_0", "--kv-layout", "dims")
        self.assertEqual(r.stderr.decode().count("q8_0 keys cannot lie in dims; taking rows"), 1)

    def test_asks_all_suites_by_default(self):
        rows = json.loads(self.ok("eval", "--lengths", "300", "-n", "1", "-t", "1", "--attn", "dense", "-o", "json"))["rows"]
        self.assertEqual({r["suite"] for r in rows}, {"needle", "multikey", "multivalue", "variables", "copy", "commonwords",
                                                      "frequentwords", "perplexity"})

    def test_asks_in_a_chat(self):
        path = self.new_folder() / "answers.jsonl"
        chat = (*EVAL, "--chat", "--chat-template", "chatml", "-sys", "Be short.", "--answer-tokens", "4", "--save", path)
        result = json.loads(self.ok(*chat, "-o", "json"))
        self.assertEqual((result["form"], len(result["rows"])), ("chat", 8))
        self.assertTrue(all(row["tokens"] <= 4 for row in result["rows"]))
        self.assertEqual(json.loads(self.ok(*EVAL, "--save", path, "-o", "json"))["form"], "text")
        lines = len(path.read_text().splitlines())
        self.assertEqual(lines, 17, "a header, eight answers of each form")
        self.ok(*chat)
        self.assertEqual(len(path.read_text().splitlines()), lines)
        self.ok(*chat, "-sys", "Be long.")
        self.assertEqual(len(path.read_text().splitlines()), lines + 8, "of another system message")
        self.assertTrue(all(",chat," in line for line in self.ok(*chat, "-o", "csv").decode().splitlines()[1:]))
        self.fails(1, *chat, "--suite", "perplexity", says=("perplexity", "chat"))
        self.fails(2, *chat, "--answer-tokens", "0", says="--answer-tokens")
        self.fails(2, *chat, "--chat-template", "nothing", says="nothing")
        r = support.skald(*EVAL, "-sys", "Be short.")
        self.assertEqual(r.returncode, 0)
        self.assertIn("-sys does nothing without --chat", r.stderr.decode())

    def test_draws_a_line_for_each_kind_of_attention_and_cache(self):
        texts = support.svg_texts(self.ok(*EVAL, "--cache", "f16,small", "-o", "svg"))
        for line in ("dense, f16", "sparq:2, f16", "dense, small", "sparq:2, small"):
            self.assertIn(line, texts)

    def test_goes_on_from_its_file(self):
        path = self.new_folder() / "answers.jsonl"
        first = json.loads(self.ok(*EVAL, "--save", path, "-o", "json"))
        saved = path.read_text()
        self.assertEqual(json.loads(self.ok(*EVAL, "--save", path, "-o", "json")), first)
        self.assertEqual(path.read_text(), saved)
        self.fails(1, *EVAL, "--save", path, "-s", "2", says="answers.jsonl")

    def test_says_what_is_wrong(self):
        for flags, says in ((("--suite", "needle,hay"), "hay"), (("--attn", "sparse"), "sparse"), (("--attn", "sparq:0.5"), "ratio"),
                            (("--cache", "q9"), "q9"), (("--lengths", "5"), "--lengths"), (("-n", "0"), "-n"),
                            (("--suite", ""), "--suite")):
            self.fails(2, *EVAL, *flags, says=says)
        self.fails(1, *EVAL, "-m", support.MODEL, says="words")


support.main()
