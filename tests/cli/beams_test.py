"""skald run --beams: the likeliest texts, and how they are printed."""
import json
import re
import unittest

import support

PROMPT = ("-p", "Once upon a time", "-n", "12", "-t", "2")
SEARCH = (*PROMPT, "--beams", "4")


class Beams(support.CliTest):
    def found(self, *flags):
        return json.loads(self.ok("run", *flags, "-o", "json"))

    def test_texts_come_the_best_first(self):
        told = self.found(*SEARCH, "--n-best", "3")
        self.assertEqual(len(told["beams"]), 3)
        for text in told["beams"]:
            self.assertEqual(sorted(text), ["content", "finish_reason", "ids", "log_prob", "score"])
            self.assertEqual((len(text["ids"]), text["finish_reason"]), (12, "length"))
            self.assertAlmostEqual(text["score"], text["log_prob"] / 12, places=9)
        scores = [text["score"] for text in told["beams"]]
        self.assertEqual(scores, sorted(scores, reverse=True))
        self.assertEqual(told["timings"]["predicted_n"], 48)

    def test_more_beams_find_no_worse_text(self):
        best = [self.found(*PROMPT, "--ignore-eos", "--beams", str(n))["beams"][0]["log_prob"] for n in (1, 4, 16)]
        self.assertLessEqual(best[0], best[1] + 1e-6)
        self.assertLessEqual(best[1], best[2] + 1e-6)
        self.assertEqual(self.ids(*PROMPT, "--ignore-eos", "--beams", "1"), self.ids(*PROMPT, "--ignore-eos", "--temp", "0"))

    def test_the_end_token_is_among_the_ids(self):
        first = self.found(*PROMPT, "--beams", "2", "--n-best", "2")["beams"]
        end = first[0]["ids"][1]
        ended = [text for text in self.found(*SEARCH, "--n-best", "4", "--override-kv", f"tokenizer.ggml.eos_token_id=int:{end}")["beams"]
                 if text["finish_reason"] == "stop"]
        self.assertTrue(ended)
        for text in ended:
            self.assertEqual(text["ids"][-1], end)
            self.assertAlmostEqual(text["score"], text["log_prob"] / len(text["ids"]), places=9)

    def test_the_length_penalty_changes_the_scores(self):
        for penalty in (0, 0.5, 2):
            text = self.found(*SEARCH, "--length-penalty", str(penalty))["beams"][0]
            self.assertAlmostEqual(text["score"], text["log_prob"] / 12 ** penalty, places=9)

    def test_the_best_text_is_printed_as_others_are(self):
        best = self.found(*SEARCH)["beams"][0]
        self.assertEqual(self.ok("run", *SEARCH).decode(), "Once upon a time" + best["content"] + "\n")
        self.assertEqual(self.ok("run", *SEARCH, "--no-display-prompt").decode(), best["content"] + "\n")
        self.assertEqual(self.ids(*SEARCH), best["ids"])

    def test_several_texts_are_lines_with_their_scores(self):
        prompt = ("-p", "One day,", "-n", "40", "--beams", "3", "--n-best", "3", "-l", "13+0")
        want = self.found(*prompt)["beams"]
        lines = self.ok("run", *prompt).decode().splitlines()
        self.assertEqual(len(lines), 3)
        for line, text in zip(lines, want):
            score, said = line.split("\t")
            self.assertAlmostEqual(float(score), text["score"], places=5)
            plain = re.sub(r"\\([ntr\\])", lambda at: {"n": "\n", "t": "\t", "r": "\r", "\\": "\\"}[at[1]], said)
            self.assertEqual(plain, text["content"])
        rows = [line.split("\t")[1] for line in self.ok("run", *prompt, "--print-ids").decode().splitlines()]
        self.assertEqual(rows, [" ".join(map(str, text["ids"])) for text in want])

    def test_a_grammar_allows_what_it_allows(self):
        text = self.found(*PROMPT, "--beams", "4", "--n-best", "2", "--grammar", 'root ::= " yes" | " no"')["beams"]
        self.assertEqual({t["content"] for t in text} - {" yes", " no"}, set())

    def test_samplers_are_told_that_they_do_nothing(self):
        told = support.skald("run", *SEARCH, "--temp", "0.5", "-s", "3")
        self.assertEqual(told.returncode, 0)
        self.assertIn("--seed, --temperature do nothing", told.stderr.decode())
        self.assertEqual(told.stdout, self.ok("run", *SEARCH))

    def test_wrong_flags_are_named(self):
        for flags, says in ((("--beams", "129"), "--beams: want 0 to 128"), (("--beams", "-1"), "--beams: want 0 to 128"),
                            (("--beams", "2", "--n-best", "3"), "--n-best: want 1 to 2"), (("--n-best", "2"), "--n-best: only with --beams"),
                            (("--length-penalty", "1"), "--length-penalty: only with --beams"),
                            (("--beams", "2", "--length-penalty", "11"), "--length-penalty: want a number from -10 to 10"),
                            (("--beams", "2", "--spec", "ngram"), "--spec: not with --beams"),
                            (("--beams", "2", "--static", "64"), "--static: not with --beams"),
                            (("--beams", "2", "-sys", "x"), "--beams: not with messages of a chat")):
            self.fails(2, "run", "-p", "x", "-n", "2", *flags, says=[says])


if __name__ == "__main__":
    unittest.main()
