"""skald serve --role: one server reads prompts, another one writes the texts."""
import unittest

import support
from server import Server

HEADER = "x-skald-prefill"
LONG = "Once upon a time there was a small dragon who lived near a lake. " * 20
ASKED = [
    ("/v1/completions", {"prompt": LONG, "max_tokens": 8, "temperature": 0}),
    ("/v1/chat/completions", {"messages": [{"role": "user", "content": LONG}], "max_tokens": 8, "temperature": 0}),
    ("/v1/messages", {"messages": [{"role": "user", "content": LONG}], "max_tokens": 8, "temperature": 0}),
    ("/completion", {"prompt": LONG, "n_predict": 8, "temperature": 0}),
    ("/api/generate", {"model": "skald-tiny", "prompt": LONG, "stream": False, "options": {"num_predict": 8, "temperature": 0}}),
]


def text_of(path, answer):
    """The text of an endpoint's answer."""
    if path == "/v1/completions":
        return answer["choices"][0]["text"]
    if path == "/v1/chat/completions":
        return answer["choices"][0]["message"]["content"]
    if path == "/v1/messages":
        return "".join(part["text"] for part in answer["content"])
    return answer["content" if path == "/completion" else "response"]


class Roles(support.CliTest):
    def setUp(self):
        self.store = ("--prefix-cache-dir", self.new_folder() / "pages", "--metrics")

    def prefill(self, server, path, body):
        reply = server.post(path, body)
        self.assertEqual(reply.status, 200, reply.body)
        self.assertEqual(reply.json["object"], "prefill")
        self.assertEqual(reply.json["prefill"], reply.headers[HEADER])
        self.assertEqual(reply.json["stored_tokens"] % 64, 0)
        return reply

    def cached(self, server):
        return sum(server.metric(f'skald_prompt_tokens_cached_total{{tier="{tier}"}}') for tier in ("ram", "disk"))

    def test_texts_are_those_of_one_server(self):
        with Server() as alone:
            texts = [text_of(path, alone.post(path, body).json) for path, body in ASKED]
        with Server("--role", "prefill", *self.store) as reads, Server("--role", "decode", *self.store) as writes:
            for (path, body), text in zip(ASKED, texts):
                with self.subTest(path):
                    read = self.prefill(reads, path, body)
                    before = self.cached(writes)
                    reply = writes.post(path, body, {HEADER: read.headers[HEADER]})
                    self.assertEqual(reply.status, 200, reply.body)
                    self.assertEqual(text_of(path, reply.json), text)
                    self.assertEqual(self.cached(writes) - before, read.json["stored_tokens"])
            self.assertEqual(writes.metric("skald_prefilled_requests_total"), len(ASKED))
            self.assertEqual(writes.metric("skald_prefilled_missed_total"), 0)
            self.assertEqual(reads.metric("skald_tokens_predicted_total"), 0)
            self.assertEqual([server.get("/props").json["role"] for server in (reads, writes)], ["prefill", "decode"])

    def test_a_stream_is_read_as_a_whole(self):
        path, body = ASKED[1]
        with Server("--role", "prefill", *self.store) as reads, Server("--role", "decode", *self.store) as writes:
            name = self.prefill(reads, path, {**body, "stream": True}).headers[HEADER]
            said = writes.post(path, {**body, "stream": True}, {HEADER: name})
            self.assertIn(b"data: [DONE]", said.body)

    def test_a_server_without_the_pages_computes_them_and_counts(self):
        path, body = ASKED[0]
        with Server("--role", "prefill", *self.store) as reads:
            name = self.prefill(reads, path, body).headers[HEADER]
        elsewhere = ("--prefix-cache-dir", self.new_folder() / "pages", "--metrics")
        with Server("--role", "decode", *elsewhere) as writes, Server() as alone:
            reply = writes.post(path, body, {HEADER: name})
            self.assertEqual(reply.json["choices"], alone.post(path, body).json["choices"])
            self.assertEqual(writes.metric("skald_prefilled_missed_total"), 1)

    def test_a_prompt_of_less_than_a_page_has_no_name(self):
        with Server("--role", "prefill", *self.store) as reads:
            reply = reads.post("/v1/completions", {"prompt": "Once", "max_tokens": 8})
            self.assertEqual((reply.status, reply.json["prefill"], reply.json["stored_tokens"]), (200, None, 0))
            self.assertNotIn(HEADER, reply.headers)

    def test_wrong_names_and_prompts_are_refused(self):
        path, body = ASKED[0]
        with Server("--role", "prefill", *self.store) as reads, Server("--role", "decode", *self.store) as writes, Server() as alone:
            name = self.prefill(reads, path, body).headers[HEADER]
            for asked, message in [(writes.post(path, {**body, "prompt": "A" + LONG}, {HEADER: name}), "another prompt"),
                                   (writes.post(path, body, {HEADER: "x" * 64}), "another prompt"),
                                   (writes.post(path, {**body, "prompt": [LONG, LONG]}, {HEADER: name}), "one prompt"),
                                   (alone.post(path, body, {HEADER: name}), "no prefix_store"),
                                   (reads.post(path, {**body, "prompt": [LONG, LONG]}), "one prompt"),
                                   (reads.post(path, {**body, "cache_prompt": False}), "cache_prompt")]:
                self.assertEqual(asked.status, 400, asked.body)
                self.assertIn(message, asked.json["error"]["message"])

    def test_keys_share_no_pages(self):
        path, body = ASKED[0]
        keys = ("--api-key", "one", "--api-key", "other")
        with Server("--role", "prefill", *keys, *self.store) as reads, Server("--role", "decode", *keys, *self.store) as writes:
            name = reads.post(path, body, {"authorization": "Bearer one"}).headers[HEADER]
            self.assertEqual(writes.post(path, body, {"authorization": "Bearer other", HEADER: name}).status, 400)
            self.assertEqual(writes.post(path, body, {"authorization": "Bearer one", HEADER: name}).status, 200)

    def test_a_role_needs_a_store(self):
        self.fails(2, "serve", "--role", "prefill", says=["serve: --role prefill: want --prefix-cache-dir or --prefix-cache-url"])
        self.fails(2, "serve", "--role", "reader", says=["serve: --role: 'reader': want both, prefill or decode"])


if __name__ == "__main__":
    unittest.main()
