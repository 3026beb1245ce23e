"""skald serve: requests that take long do not delay those that do not, whatever the long ones ask for."""
import json
import select
import socket
import time

import support
from server import Server

MOST_SECONDS = 1 * (10 if support.SANITIZED else 1)  # of a short request beside long ones
LONG_ONES = 8
COMPLETION = "/v1/completions"
HONEST = {"prompt": "Once upon a time", "max_tokens": 3}
NOTHING = "\u200b"  # no letter, and no token for some models
TEXT = "the quick brown fox jumps over the lazy dog. "
RANK = support.DATA / "encoders/xlmrrank/model.gguf"


def properties(i):
    """A schema that takes more than a second to compile."""
    return {"type": "object", "properties": {f"k{k}": {"type": "string", "pattern": f"^[a-z{k % 10}]{{1,40}}(x|y){{3,{30 + i}}}$"} for k in range(6000)}}


def overlaps(i):
    """A schema that is refused after seconds: the keys fall into 2^13 classes by the patterns that they match."""
    keys = {f"{chr(ord('a') + k)}[a-z]*{chr(ord('a') + (k + i) % 26)}": {"const": k} for k in range(13)}
    return {"type": "object", "patternProperties": keys, "additionalProperties": False}


def turns(n):
    return [{"role": role, "content": "x"} for _ in range(n) for role in ("user", "assistant")]


LONG = {
    "schema": lambda i: (COMPLETION, {"prompt": "x", "max_tokens": 2, "json_schema": properties(i)}),
    "tokenize": lambda i: ("/tokenize", {"content": NOTHING * 3_000_000}),
    "pieces": lambda i: ("/tokenize", {"content": TEXT * 90_000, "with_pieces": True}),
    "detokenize": lambda i: ("/detokenize", {"tokens": [5] * 2_000_000}),
    "prompts": lambda i: (COMPLETION, {"prompt": [f"{i}" + " " * 100_000] * 64, "max_tokens": 1}),
    "chat": lambda i: ("/v1/chat/completions", {"messages": turns(40_000), "max_tokens": 1}),
    "template": lambda i: ("/apply-template", {"messages": turns(40_000)}),
    "count": lambda i: ("/v1/messages/count_tokens", {"messages": [{"role": "user", "content": TEXT * 150_000}]}),
    "responses": lambda i: ("/v1/responses", {"input": NOTHING * 3_000_000}),
    "embeddings": lambda i: ("/v1/embeddings", {"input": [f"{TEXT * 10} {i} {k}" for k in range(2048)]}),
    "slots": lambda i: (f"/slots/{i}?action=save", {"filename": f"slot{i}"}),
}
RANKING = {
    "query": lambda i: ("/v1/rerank", {"query": "a" + NOTHING * 500_000, "documents": ["b"] * 1024}),
    "documents": lambda i: ("/v1/rerank", {"query": "a", "documents": [f"{'text ' * 100}{k}" for k in range(1024)]}),
    "embeddings": lambda i: ("/v1/embeddings", {"input": [f"{'text ' * 100}{i} {k}" for k in range(2048)]}),
}


class Busy(support.CliTest):
    def long_one(self, server, path, body):
        data = json.dumps(body, ensure_ascii=False).encode()
        s = socket.create_connection(("127.0.0.1", server.port), timeout=120)
        self.addCleanup(s.close)
        s.sendall(b"POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % (path.encode(), len(data)) + data)
        return s

    def short_ones_are_quick_beside(self, server, make, path, body):
        """Then the long ones leave."""
        sockets = [self.long_one(server, *make(i)) for i in range(LONG_ONES)]
        for _ in range(8):
            began = time.monotonic()
            reply = server.post(path, body)
            self.assertEqual(reply.status, 200, reply.body[:200])
            self.assertLess(time.monotonic() - began, MOST_SECONDS)
            time.sleep(0.02)
        for s in sockets:
            s.close()

    def test_long_requests_do_not_delay_a_completion(self):
        with Server("--chat-template", "chatml", "-c", 4096, "-np", 8, "--metrics", "--slot-save-path", self.new_folder()) as server:
            for name, make in LONG.items():
                with self.subTest(name):
                    self.short_ones_are_quick_beside(server, make, COMPLETION, HONEST)
            self.until(lambda: server.metric("skald_requests_total") > 0 and server.metric("skald_connections") == 1)  # who left is noticed

    def test_schemas_that_are_refused_late_delay_neither_completions_nor_slots(self):
        with Server("-c", 4096, "-np", 4, "--slot-save-path", self.new_folder()) as server:
            asked = lambda i: (COMPLETION, {"prompt": "x", "max_tokens": 2, "json_schema": overlaps(i)})
            alone = server.post(*asked(0))
            self.assertEqual((alone.status, alone.json["error"]["param"]), (400, "json_schema"))
            self.assertIn("more than 2 s", alone.json["error"]["message"])
            sockets = [self.long_one(server, *asked(i)) for i in range(1, LONG_ONES + 1)]
            for i in range(8):
                self.assertEqual(server.post(COMPLETION, HONEST).status, 200)
                self.assertEqual(server.post("/slots/0?action=save", {"filename": f"slot{i}"}).status, 200)
            answered, _, _ = select.select(sockets, [], [], 0)
            self.assertLessEqual(len(answered), 1, "all short ones end before the second long one")

    def test_long_rankings_do_not_delay_a_short_one(self):
        with Server("-m", RANK) as server:
            for name, make in RANKING.items():
                with self.subTest(name):
                    self.short_ones_are_quick_beside(server, make, "/v1/rerank", {"query": "the text", "documents": ["reads", "the engine"]})

    def test_work_for_clients_that_left_ends(self):
        with Server("-m", RANK, "--log-jsonl") as server:
            many = {"query": "a", "documents": [f"{'text ' * 100}{k}" for k in range(2048)]}
            sockets = [self.long_one(server, "/v1/rerank", many) for _ in range(LONG_ONES)]
            time.sleep(0.1)  # a quick machine may have answered some by then, but not all
            for s in sockets:
                s.close()
            ended = lambda: [l for l in map(json.loads, server.errors().splitlines()) if l.get("path") == "/v1/rerank"]
            self.until(lambda: len(ended()) == LONG_ONES)
            self.assertGreaterEqual([l["status"] for l in ended()].count(499), LONG_ONES // 2)

    def test_what_a_refused_schema_is_refused_for_is_remembered(self):
        huge = {"prompt": "x", "max_tokens": 1, "json_schema": {"enum": ["x" * 50 + str(k) for k in range(200_000)]}}
        with Server() as server:
            took = []
            for _ in range(2):
                began = time.monotonic()
                reply = server.post(COMPLETION, huge)
                took.append(time.monotonic() - began)
                self.assertEqual(reply.status, 400)
                self.assertIn("too large", reply.json["error"]["message"])
            self.assertLess(took[1], took[0])


support.main()
