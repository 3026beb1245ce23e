"""skald serve: POST /route names the server that has the beginning of a prompt, and tells no key of another's prompts."""
import json
import socket
import unittest

import support
from server import Server, ServerTest

TEXT = "Once upon a time there was a girl named Lily who had a cat and a dog. " * 8
COMPLETION = {"prompt": TEXT, "max_tokens": 2, "temperature": 0}
CHAT = {"messages": [{"role": "user", "content": TEXT}], "max_tokens": 2}


def key(text):
    return {"Authorization": f"Bearer {text}"}


class Route(ServerTest):
    FLAGS = ("-np", 2, "-c", 4096)

    def route(self, body, path="/route", headers=None):
        return self.good(path, body, headers)

    def test_names_equal_beginnings_alike_and_others_otherwise(self):
        # Four pages of 64 tokens name a prompt; what follows them does not.
        first, second, other = (self.route({"prompt": start + TEXT * 2 + end})["prefix"]
                                for start, end in (("", "What then?"), ("", "And who?"), ("No. ", "What then?")))
        self.assertRegex(first, "^[0-9a-f]{16}$")
        self.assertEqual(first, second)
        self.assertNotEqual(first, other)

    def test_names_texts_that_are_shorter_than_a_page(self):
        names = {self.route({"prompt": text})["prefix"] for text in ("Once", "Once upon", "Once")}
        self.assertEqual(len(names), 2)

    def test_knows_the_endpoint_by_path_by_name_and_by_its_fields(self):
        for path, body in (("/v1/completions", COMPLETION), ("/v1/chat/completions", CHAT), ("/v1/responses", {"input": TEXT}),
                           ("/v1/messages", {**CHAT, "system": "Be brief."})):
            by_path = self.route(body, "/route" + path)
            self.assertEqual(self.route({**body, "endpoint": path}), by_path)
            if path != "/v1/messages":
                self.assertEqual(self.route(body), by_path)
        self.assertEqual(self.route({"input": TEXT})["prefix"], self.route(CHAT)["prefix"])

    def test_counts_the_tokens_that_the_request_will_find(self):
        body = {**COMPLETION, "prompt": "Counted. " + TEXT}
        self.assertEqual(self.route(body)["cached_tokens"], 0)
        usage = self.good("/v1/completions", body)["usage"]
        answer = self.route(body)
        self.assertEqual(answer["prompt_tokens"], usage["prompt_tokens"])
        self.assertEqual(answer["cached_tokens"], self.good("/v1/completions", body)["usage"]["prompt_tokens_details"]["cached_tokens"])
        self.assertGreater(answer["cached_tokens"], 0)
        self.assertEqual(self.route({**body, "cache_prompt": False})["cached_tokens"], 0)
        self.assertEqual(self.route({**body, "cache_salt": "other"})["cached_tokens"], 0)

    def test_chats_find_what_they_will_find(self):
        self.good("/v1/chat/completions", CHAT)
        answer = self.route(CHAT)
        usage = self.good("/v1/chat/completions", CHAT)["usage"]
        self.assertEqual(answer["cached_tokens"], usage["prompt_tokens_details"]["cached_tokens"])

    def test_says_it_in_headers_too(self):
        reply = self.server.post("/route", COMPLETION)
        self.assertEqual(reply.headers["x-skald-prefix"], reply.json["prefix"])
        self.assertEqual(reply.json["header"], {"X-Skald-Prefix": reply.json["prefix"]})
        self.assertTrue(reply.json["here"])

    def test_a_prefix_alone_finds_its_server(self):
        self.good("/v1/completions", COMPLETION)
        header = self.route(COMPLETION)["header"]
        self.assertTrue(self.server.get("/route", headers=header).json["cached"])
        self.assertFalse(self.server.get("/route", headers={"X-Skald-Prefix": "0" * 16}).json["cached"])
        self.assertIsNone(self.server.get("/route").json["prefix"])
        self.assertEqual(self.server.get("/route", headers={"X-Skald-Prefix": "x"}).status, 400)

    def test_wrong_requests_are_named(self):
        for body, name in (({}, "endpoint"), ({"prompt": TEXT, "endpoint": "/v1/embeddings"}, "endpoint"), ({"prompt": 5.5}, "prompt"),
                           ({"messages": 3}, "messages"), ({"messages": [], "endpoint": "/v1/messages"}, "max_tokens")):
            reply = self.server.post("/route", body)
            self.assertEqual((reply.status, reply.json["error"]["param"]), (400, name), body)

    def test_prefixes_are_told_to_peers_alone(self):
        self.assertEqual(self.server.get("/prefixes").status, 501)


def free_ports(n):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(n)]
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Fleet(support.CliTest):
    """Two servers that know each other, and of a third one that is never there."""

    def setUp(self):
        ports = free_ports(3)
        self.urls = [f"http://127.0.0.1:{port}" for port in ports]
        self.servers = []
        for port in ports[:2]:
            one = Server("--port", port, "-np", 2, "-c", 4096, "--api-key", "first", "--api-key", "second", "--peers", ",".join(self.urls),
                         "--peers-interval", 0.1, port=False)
            self.addCleanup(one.__exit__)
            self.servers.append(one)
        self.until(lambda: all(len(self.servers_of(one)) == 2 for one in self.servers))

    def servers_of(self, server):
        return {one["server"] for one in server.get("/route", headers=key("first")).json["servers"]} - {None}

    def route(self, server, body, by="first"):
        reply = server.post("/route", body, key(by))
        self.assertEqual(reply.status, 200, reply.body)
        return reply.json

    def test_all_name_the_server_that_has_the_beginning(self):
        for url, server in zip(self.urls, self.servers):
            body = {**COMPLETION, "prompt": f"{url} {TEXT}"}
            self.assertEqual(server.post("/v1/completions", body, key("first")).status, 200)
            self.until(lambda: all(self.route(one, body)["cached_tokens"] > 0 for one in self.servers))
            self.assertEqual([self.route(one, body)["server"] for one in self.servers], [url, url])
            self.assertEqual([self.route(one, body)["here"] for one in self.servers], [one is server for one in self.servers])

    def test_all_name_the_same_server_for_a_new_prompt(self):
        chosen = []
        for n in range(24):
            answers = [self.route(one, {"prompt": f"{n} {TEXT}"}) for one in self.servers]
            self.assertEqual(answers[0]["prefix"], answers[1]["prefix"])
            self.assertEqual(answers[0]["server"], answers[1]["server"])
            chosen.append(answers[0]["server"])
        self.assertEqual(set(chosen), set(self.urls[:2]))

    def test_a_server_that_is_gone_is_named_no_more(self):
        self.servers[1].process.kill()
        self.servers[1].process.wait()
        self.until(lambda: self.servers_of(self.servers[0]) == {self.urls[0]})
        self.assertEqual(self.route(self.servers[0], COMPLETION)["server"], self.urls[0])

    def test_a_key_is_told_nothing_of_the_prompts_of_another(self):
        self.assertEqual(self.servers[0].post("/v1/completions", COMPLETION, key("first")).status, 200)
        self.until(lambda: self.route(self.servers[1], COMPLETION)["cached_tokens"] > 0)
        for one in self.servers:
            answer = self.route(one, COMPLETION, "second")
            self.assertEqual([s["cached_tokens"] for s in answer["servers"]], [0, 0])
            self.assertNotEqual(answer["prefix"], self.route(one, COMPLETION)["prefix"])
            self.assertFalse(one.get("/route", headers={**key("second"), **self.route(one, COMPLETION)["header"]}).json["cached"])
        own, other = (self.servers[0].get("/prefixes", headers=key(by)).json["pages"] for by in ("first", "second"))
        self.assertGreater(len(own), 0)
        self.assertEqual(other, "")
        self.assertEqual(self.servers[0].get("/prefixes").status, 401)

    def test_prefixes_are_told_once_for_each_version(self):
        news = self.servers[0].get("/prefixes", headers=key("first")).json
        again = self.servers[0].get("/prefixes?since=" + news["version"], headers=key("first")).json
        self.assertNotIn("pages", again)
        self.assertEqual(again["version"], news["version"])

    def test_no_text_is_told(self):
        self.servers[0].post("/v1/completions", COMPLETION, key("first"))
        raw = self.servers[0].get("/prefixes", headers=key("first")).body.decode()
        self.assertEqual(set(json.loads(raw)), {"server", "version", "running", "waiting", "parallel", "pages"})
        self.assertNotIn("Lily", raw)


class Flags(support.CliTest):
    def test_wrong_ones_are_named(self):
        for flags, says in ((("--peers", "127.0.0.1:8080"), "--peers"), (("--peers-interval", 0), "--peers-interval"), (("--route-pages", 0), "--route-pages"),
                            (("--peers", "http://a:1", "--no-prefix-cache"), "--no-prefix-cache")):
            self.fails(2, "serve", *flags, says=says)

    def test_route_pages_say_how_much_names_a_prompt(self):
        with Server("-c", 2048, "--route-pages", 1) as server:
            names = {server.post("/route", {"prompt": TEXT + end}).json["prefix"] for end in ("a", "b" * 900)}
            self.assertEqual(len(names), 1)


if __name__ == "__main__":
    unittest.main()
