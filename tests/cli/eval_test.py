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
