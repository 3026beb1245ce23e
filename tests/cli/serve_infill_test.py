"""skald serve: text between two others, for models that have tokens for it."""
import support
from server import Server

PRE, SUF, MID, SEP = 40, 41, 42, 43  # what the embedded model is told to take for them
BEFORE, AFTER = "Once upon a time there was", " and they lived happily."


def marks(**ids):
    return [x for name, token in ids.items() for x in ("--override-kv", f"tokenizer.ggml.fim_{name}_token_id=int:{token}")]


class Infill(support.CliTest):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("-np", 2, "-c", 1024, *marks(pre=PRE, suf=SUF, mid=MID))

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()

    def good(self, path, body, server=None):
        reply = (server or self.server).post(path, body)
        self.assertEqual(reply.status, 200, reply.body)
        return reply.json

    def ids(self, text):
        return self.good("/tokenize", {"content": text, "parse_special": False})["tokens"]

    def bos(self):
        return self.good("/tokenize", {"content": "", "add_special": True})["tokens"]

    def written(self, prompt, **more):
        return self.good("/completion", {"prompt": prompt, "n_predict": 12, "temperature": 0, **more})["content"]

    def test_the_parts_stand_behind_their_tokens(self):
        want = self.written(self.bos() + [PRE] + self.ids(BEFORE) + [SUF] + self.ids(AFTER) + [MID])
        around = {"input_prefix": BEFORE, "input_suffix": AFTER, "n_predict": 12, "temperature": 0}
        whole = self.good("/infill", around)
        self.assertEqual((whole["content"], whole["truncated"]), (want, False))
        body = {"prompt": BEFORE, "suffix": AFTER, "max_tokens": 12, "temperature": 0}
        self.assertEqual(self.good("/v1/completions", body)["choices"][0]["text"], want)
        name = self.server.get("/v1/models").json["data"][0]["id"]
        ollama = {"model": name, "prompt": BEFORE, "suffix": AFTER, "stream": False, "options": {"num_predict": 12, "temperature": 0}}
        self.assertEqual(self.good("/api/generate", ollama)["response"], want)
        self.assertIn("insert", self.good("/api/show", {"model": name})["capabilities"])
        begun = self.written(self.bos() + [PRE] + self.ids(BEFORE) + self.ids(" a") + [SUF] + self.ids(AFTER) + [MID])
        self.assertEqual(self.good("/infill", {**around, "prompt": " a"})["content"], begun)

    def test_other_files_go_before(self):
        snippet = self.ids("\n\n--- snippet ---\n\n") + self.ids("A dog.")
        want = self.written(self.bos() + snippet + [PRE] + self.ids(BEFORE) + [SUF] + self.ids(AFTER) + [MID])
        body = {"input_prefix": BEFORE, "input_suffix": AFTER, "input_extra": [{"text": "A dog.", "filename": "dog.txt"}]}
        self.assertEqual(self.good("/infill", {**body, "n_predict": 12, "temperature": 0})["content"], want)

    def test_what_is_far_from_the_gap_is_left_out(self):
        body = {"input_prefix": "a dog " * 2000, "input_suffix": AFTER, "input_extra": [{"text": "a cat " * 2000}], "n_predict": 8}
        reply = self.good("/infill", body)
        self.assertTrue(reply["truncated"])
        self.assertLess(reply["tokens_evaluated"] + 8, 1024)
        self.assertGreater(reply["tokens_evaluated"], 900)
        long = self.server.post("/v1/completions", {"prompt": "a dog " * 2000, "suffix": AFTER})
        self.assertEqual((long.status, long.json["error"]["code"]), (400, "context_length_exceeded"))

    def test_wrong_fields_are_named(self):
        for body, name in (({"input_suffix": "x"}, "input_prefix"), ({"input_prefix": "x"}, "input_suffix"),
                           ({"input_prefix": 3, "input_suffix": "x"}, "input_prefix"),
                           ({"input_prefix": "x", "input_suffix": "x", "prompt": 4}, "prompt"),
                           ({"input_prefix": "x", "input_suffix": "x", "input_extra": [{"filename": "y"}]}, "input_extra[0].text")):
            reply = self.server.post("/infill", body)
            self.assertEqual((reply.status, reply.json["error"]["param"]), (400, name), body)

    def test_the_suffix_can_stand_first(self):
        with Server("--spm-infill", *marks(pre=PRE, suf=SUF, mid=MID, sep=SEP)) as server:
            want = self.written(self.bos() + [SEP] + self.ids("filename\n") + [SUF] + self.ids(AFTER) + [PRE] + self.ids(BEFORE) + [MID])
            body = {"input_prefix": BEFORE, "input_suffix": AFTER, "n_predict": 12, "temperature": 0}
            self.assertEqual(self.good("/infill", body, server)["content"], want)

    def test_models_without_the_tokens_refuse(self):
        with Server() as server:
            reply = server.post("/infill", {"input_prefix": "x", "input_suffix": "y"})
            self.assertEqual((reply.status, reply.json["error"]["type"]), (501, "not_supported_error"))
            reply = server.post("/v1/completions", {"prompt": "x", "suffix": "y"})
            self.assertEqual((reply.status, reply.json["error"]["param"]), (400, "suffix"))


support.main()
