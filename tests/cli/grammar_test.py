"""skald grammar: texts and masks of known cases, the byte where a text goes wrong, and usage."""
import json

import support

FLAG = {"gbnf": "--grammar-file", "regex": "--regex-file"}
CASES = support.DATA / "grammar"


class Grammar(support.CliTest):
    def lines(self, folder, kind, grammar, texts, flag, *more):
        (folder / "g").write_text(grammar)
        (folder / "t.jsonl").write_text("".join(json.dumps(t) + "\n" for t in texts))
        return self.ok("grammar", FLAG[kind], folder / "g", flag, folder / "t.jsonl", *more).decode().splitlines()

    def test_takes_the_texts_of_known_cases_and_no_other(self):
        folder = self.new_folder()
        for case in json.loads((CASES / "texts.json").read_text()):
            texts = [t["text"] for t in case["tests"]]
            got = self.lines(folder, case["kind"], case["grammar"], texts, "--accepts-file")
            self.assertEqual([line.split()[0] == "accept" for line in got], [t["valid"] for t in case["tests"]], case["name"])

    def test_lets_just_the_tokens_of_known_cases_follow(self):
        folder = self.new_folder()
        for case in json.loads((CASES / "masks.json").read_text()):
            prefixes = [m["prefix"] for m in case["masks"]]
            got = self.lines(folder, case["kind"], case["grammar"], prefixes, "--mask-after-file", "-m", support.DATA / case["vocab"])
            for line, want in zip(got, case["masks"], strict=True):
                del want["prefix"]
                self.assertEqual(json.loads(line), want, case["name"])

    def test_says_at_which_byte_a_text_goes_wrong(self):
        for text, want in (("yes", "accept"), ("yex", "reject 2"), ("ye", "reject 2"), ("yess", "reject 3"), ("é", "reject 0")):
            out = self.ok("grammar", "--grammar", 'root ::= "yes"', stdin=text.encode())
            self.assertEqual(out.decode(), want + "\n")

    def test_leaves_the_last_line_feed_of_a_regex_file_out(self):
        file = self.new_folder() / "r"
        file.write_text("a\n")
        self.assertEqual(self.ok("grammar", "--regex-file", file, stdin=b"a"), b"accept\n")
        self.assertEqual(self.ok("grammar", "--regex", "a", stdin=b"a\n"), b"reject 1\n")

    def test_tells_what_masks_cost(self):
        folder = self.new_folder()
        (folder / "t.jsonl").write_text('"ab"\n"x"\n')
        out = self.ok("grammar", "--regex", "[a-f]+", "-m", support.DATA / "golden/tokenizers/llama3/vocab.gguf", "--accepts-file",
                      folder / "t.jsonl", "--stats").decode().splitlines()
        self.assertEqual([line.split()[0] for line in out[:2]], ["accept", "reject"])
        stats = json.loads(out[2])
        self.assertEqual(set(stats), {"compile_us", "first_mask_us", "mask_us"})
        self.assertIn(len(stats["mask_us"]), (1, 2))  # tokens of the text that was taken

    def test_refuses_wrong_usage_and_wrong_grammars(self):
        self.fails(2, "grammar", says=("--grammar",))
        self.fails(2, "grammar", "--grammar", "root ::= \"a\"", "--regex", "a", says=("--grammar and --regex",))
        self.fails(2, "grammar", "--regex", "a", "--mask-after-file", "x", says=("-m",))
        self.fails(2, "grammar", "--regex", "a", "--stats", says=("-m",))
        self.fails(2, "grammar", "--regex", "a", "--json-whitespace", "much", says=("--json-whitespace",))
        self.fails(1, "grammar", "--regex", "(?=a)b", says=("look-ahead",))
        self.fails(1, "grammar", "--grammar", "root ::= other", says=('"other"', "line 1"))
        self.fails(1, "grammar", "--grammar-file", "/nonexistent", says=("/nonexistent",))
        file = self.new_folder() / "t.jsonl"
        file.write_text('"a"\n7\n')
        self.fails(1, "grammar", "--regex", "a", "--accepts-file", file, says=("line 2",))


support.main()
