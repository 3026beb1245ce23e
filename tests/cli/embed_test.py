"""skald embed and skald rerank, and what other commands say to models that give vectors."""
import json
import math
import struct

import support

ENCODERS = support.DATA / "encoders"
BERT, RANK = ENCODERS / "nomicbert/model.gguf", ENCODERS / "xlmrrank/model.gguf"
TEXT = "The engine reads the text"


def expected(name):
    return json.loads((ENCODERS / name / "expected.json").read_text())


def read_npy(path):
    """Shape and numbers."""
    data = path.read_bytes()
    size = struct.unpack("<H", data[8:10])[0]
    shape = eval(data[10:10 + size].decode(), {"__builtins__": {}})["shape"]
    return shape, struct.unpack(f"<{math.prod(shape)}f", data[10 + size:])


class Embed(support.CliTest):
    def vectors(self, *args, **options):
        return [d["embedding"] for d in json.loads(self.ok("embed", *args, **options))["data"]]

    def near(self, got, want, limit=2e-4):
        self.assertEqual(len(got), len(want))
        self.assertLess(max(abs(a - b) for a, b in zip(got, want)), limit)

    def lines(self, *texts):
        path = self.new_folder() / "texts.txt"
        path.write_text("".join(t + "\n" for t in texts))
        return path

    def test_gives_the_vectors_of_the_reference(self):
        for name in ("modernbert", "nomicbert", "t5enc", "xlmrrank"):
            case, model = expected(name), ENCODERS / name / "model.gguf"
            self.near(self.vectors("-m", model, "-p", TEXT)[0], case["text_case"]["embedding"])
            self.near(self.vectors("-m", model, "--prompt-ids", support.comma(case["long_ids"]))[0], case["long_embedding"])

    def test_gives_a_row_for_each_text_of_a_file(self):
        texts, out = self.lines(TEXT, "the text", "reads"), self.new_folder() / "v.npy"
        vectors = self.vectors("-m", BERT, "-f", texts)
        self.assertEqual(len(vectors), 3)
        self.near(vectors[0], expected("nomicbert")["text_case"]["embedding"])
        self.assertEqual(vectors[1:], [self.vectors("-m", BERT, "-p", t)[0] for t in ("the text", "reads")])
        self.assertEqual(vectors, self.vectors("-m", BERT, "-f", "-", stdin=texts.read_bytes()))
        self.assertEqual(vectors, self.vectors("-m", BERT, "-f", "-", "--separator", "||", stdin=texts.read_bytes().strip().replace(b"\n", b"||")))
        self.assertEqual(self.ok("embed", "-m", BERT, "-f", texts, "-o", out), b"")
        shape, numbers = read_npy(out)
        self.assertEqual(shape, (3, 32))
        self.near(numbers, [x for v in vectors for x in v], 1e-6)

    def test_says_what_the_api_says(self):
        answer = json.loads(self.ok("embed", "-m", BERT, "-p", TEXT))
        self.assertEqual(answer["object"], "list")
        self.assertEqual([(d["object"], d["index"]) for d in answer["data"]], [("embedding", 0)])
        self.assertEqual(answer["usage"], {"prompt_tokens": 11, "total_tokens": 11})
        self.assertEqual(answer["model"], "golden nomicbert")

    def test_pools_and_normalises_as_asked(self):
        ids = support.comma(expected("nomicbert")["prompt_ids"])
        rows = self.vectors("-m", BERT, "--prompt-ids", ids, "--pooling", "none")[0]
        self.assertEqual((len(rows), len(rows[0])), (24, 32))
        raw = {p: self.vectors("-m", BERT, "--prompt-ids", ids, "--pooling", p, "--no-normalize")[0] for p in ("cls", "last", "mean")}
        self.near(raw["cls"], rows[0], 1e-6)
        self.near(raw["last"], rows[-1], 1e-6)
        self.near(raw["mean"], [sum(c) / 24 for c in zip(*rows)], 1e-5)
        unit = self.vectors("-m", BERT, "--prompt-ids", ids)[0]
        self.assertAlmostEqual(sum(x * x for x in unit), 1, 5)
        self.near(unit, [x / math.hypot(*raw["mean"]) for x in raw["mean"]], 1e-6)

    def test_takes_decoders_too(self):
        self.assertEqual(len(self.vectors("-p", "Once upon a time")), 1)  # of the embedded model
        last = self.vectors("-p", "Once upon a time", "--pooling", "last")[0]
        self.near(self.vectors("-p", "Once upon a time", "--pooling", "last", "-ub", "2")[0], last, 1e-4)

    def test_names_the_text_that_is_too_long_or_cuts_it(self):
        long = " ".join(["text"] * 400)
        texts = self.lines(TEXT, long)
        self.fails(1, "embed", "-m", RANK, "-f", texts, says=("input 2", "the context has 256"))
        self.assertEqual(len(self.vectors("-m", RANK, "-f", texts, "--truncate")), 2)
        self.assertEqual(len(self.vectors("-m", RANK, "--prompt-ids", ",".join(["5"] * 300), "--truncate")), 1)
        self.fails(1, "embed", "-m", BERT, "-p", TEXT, "-c", 4, says=("input 1", "the context has 4"))

    def test_refuses_what_makes_no_sense(self):
        self.fails(2, "embed", "-m", BERT, says="exactly one of -p, -f and --prompt-ids")
        self.fails(2, "embed", "-m", BERT, "-p", "", says="the text is empty")
        self.fails(1, "embed", "-m", BERT, "-f", self.lines("a", "", "b"), says="text 2 is empty")
        self.fails(2, "embed", "-m", BERT, "-p", "a", "--pooling", "max", says="want none, mean, cls, last or rank")
        self.fails(2, "embed", "-m", BERT, "-p", "a", "-o", "csv", says="want json")
        self.fails(2, "embed", "-m", BERT, "-f", self.lines("a", "b"), "--pooling", "none", says="want one text, got 2")
        self.fails(1, "embed", "-m", BERT, "-p", "a", "--pooling", "rank", says="no classifier")
        self.fails(1, "embed", "-m", BERT, "--prompt-ids", "2,4000", says=("input 1", "4000"))
        self.fails(1, "embed", "-m", BERT, "-f", "nowhere.txt", says="nowhere.txt")

    def test_special_tokens_in_a_text_are_text(self):
        tokens = {t: json.loads(self.ok("embed", "-m", BERT, "-p", t))["usage"]["prompt_tokens"] for t in ("a", "[SEP]")}
        self.assertEqual(tokens["a"], 3)
        self.assertGreater(tokens["[SEP]"], 3)


class Rerank(support.CliTest):
    DOCUMENTS = b"reads\nthe text\nengine\nreads\n"

    def ranking(self, *args):
        return json.loads(self.ok("rerank", "-m", RANK, "-q", "the engine", "-f", "-", "-o", "json", *args, stdin=self.DOCUMENTS))["results"]

    def test_orders_documents_by_their_scores(self):
        ranking = self.ranking()
        scores = [r["relevance_score"] for r in ranking]
        self.assertEqual(scores, sorted(scores, reverse=True))
        self.assertEqual(sorted(r["index"] for r in ranking), [0, 1, 2, 3])
        equal = [r["index"] for r in ranking if r["index"] in (0, 3)]
        self.assertEqual(equal, [0, 3])
        self.assertEqual(self.ranking("--top", 2), ranking[:2])

    def test_shows_a_table(self):
        table = self.ok("rerank", "-m", RANK, "-q", "the engine", "-f", "-", stdin=self.DOCUMENTS).decode().splitlines()
        self.assertEqual(table[0].split(), ["|", "index", "|", "score", "|", "document", "|"])
        self.assertEqual(len(table), 6)
        best = self.ranking()[0]
        self.assertIn(f"| {best['index']:5} |", table[2])
        self.assertIn(f"{best['relevance_score']:.6f}", table[2])

    def test_scores_as_the_model_of_the_pair(self):
        query, document = (self.ok("tokenize", "-m", RANK, "--ids", "-p", t).split() for t in ("the engine", "reads"))
        ids = b",".join(query + document).decode()  # each with its end, as T5's kin have it
        score = json.loads(self.ok("embed", "-m", RANK, "--prompt-ids", ids))["data"][0]["embedding"]
        self.assertEqual(score, [r["relevance_score"] for r in self.ranking() if r["index"] == 0])

    def test_refuses_what_makes_no_sense(self):
        self.fails(1, "rerank", "-m", BERT, "-q", "a", "-f", "-", stdin=b"b", says="no classifier")
        self.fails(2, "rerank", "-m", RANK, "-f", "-", says="want a query")
        self.fails(2, "rerank", "-m", RANK, "-q", "a", says="want documents")
        self.fails(2, "rerank", "-m", RANK, "-q", "a", "-f", "-", "--top", 0, says="--top")
        self.fails(1, "rerank", "-m", RANK, "-q", "a", "-f", "-", stdin=b"b\n" + b"text " * 400, says=("input 2", "256"))
        self.ok("rerank", "-m", RANK, "-q", "a", "-f", "-", "--truncate", stdin=b"b\n" + b"text " * 400)


class OtherCommands(support.CliTest):
    def test_that_write_texts_refuse_encoders(self):
        for args in (("run", "-p", "a"), ("run", "-sys", "a", "-p", "b"), ("chat", "-p", "a"), ("logits", "--ids", "2,3", "-o", self.new_folder() / "l.npy"),
                     ("bench", "-p", "4", "-n", "0"), ("eval",), ("profile", "-p", "4", "-n", "0")):
            self.fails(1, args[0], "-m", BERT, *args[1:], says="no causal attention")

    def test_that_look_at_files_take_encoders(self):
        self.assertIn(b"nomic-bert", self.ok("inspect", BERT))
        dot = self.new_folder() / "graph.dot"
        self.ok("graph", "-m", BERT, "-o", dot)
        self.assertIn("attention", dot.read_text())
        self.assertEqual(self.ok("tokenize", "-m", BERT, "-p", TEXT, "--ids").split()[-1], b"3")


support.main()
