"""packaging/proxies/: requests with equal prefixes reach one server, whatever becomes of the other one; streams are not held up.

usage: proxies_test.py PROGRAM

Each proxy is started with its packaged configuration in front of two servers with the embedded model.
"""
import json
import unittest

import proxies
import support
from server import Server

ROUTE = "/v1/completions"
PROMPT = "Once upon a time there was a girl named Lily who had a cat and a dog. " * 8
MANY = 24  # prefixes, which no hash brings to one server alone
BODY = {"prompt": PROMPT, "max_tokens": 2, "temperature": 0}


def of_prefix(n):
    return {proxies.PREFIX: f"{n * 0x9E3779B97F4A7C15 % 2**64:016x}"}


class Proxied:
    """What holds of each proxy."""
    CONFIG = PROGRAM = ""
    REFUSALS = (503,)  # after which another server gets the request

    @classmethod
    def setUpClass(cls):
        if not proxies.program(cls.PROGRAM):
            raise unittest.SkipTest(f"no {cls.PROGRAM} here")

    def servers(self):
        both = [Server("-np", 2, "-c", 2048, "--metrics") for _ in range(2)]
        for one in both:
            self.addCleanup(one.__exit__)
        return both

    def proxy(self, ports):
        made = proxies.Proxy(self.CONFIG, ports)
        self.addCleanup(made.stop)
        return made

    def behind(self):
        both = self.servers()
        return both, self.proxy([one.port for one in both])

    def served(self, servers):
        """The requests that each server has answered; 0 of one that is gone."""
        return [self.answered(one) if one.process.poll() is None else 0 for one in servers]

    def answered(self, server):
        line = f'skald_requests_total{{route="{ROUTE}",code="200"}} '
        found = [row for row in server.get("/metrics").body.decode().splitlines() if row.startswith(line)]
        return int(found[0].split()[-1]) if found else 0

    def good(self, proxy, headers=None):
        reply = proxy.ask("POST", ROUTE, BODY, headers)
        self.assertEqual(reply.status, 200, reply.body)
        return reply.json

    def server_of(self, servers, proxy, headers):
        """The number of the server that a request goes to."""
        before = self.served(servers)
        self.good(proxy, headers)
        more = [now - then for now, then in zip(self.served(servers), before)]
        self.assertEqual(sorted(more), [0, 1])
        return more.index(1)

    def test_equal_prefixes_reach_one_server_and_others_are_spread(self):
        servers, proxy = self.behind()
        places = {n: self.server_of(servers, proxy, of_prefix(n)) for n in range(MANY)}
        self.assertEqual(set(places.values()), {0, 1})
        for n in range(0, MANY, 6):
            self.assertEqual([self.server_of(servers, proxy, of_prefix(n)) for _ in range(3)], [places[n]] * 3)
        cached = self.good(proxy, of_prefix(1))["usage"]["prompt_tokens_details"]["cached_tokens"]
        self.assertGreaterEqual(cached, 64)

    def test_requests_without_a_prefix_are_spread(self):
        servers, proxy = self.behind()
        for _ in range(6):
            self.good(proxy)
        self.assertGreater(min(self.served(servers)), 0)

    def test_requests_of_a_killed_server_go_to_the_other_one(self):
        servers, proxy = self.behind()
        places = {n: self.server_of(servers, proxy, of_prefix(n)) for n in range(6)}
        gone = places[0]
        servers[gone].process.kill()
        servers[gone].process.wait()
        for n in places:
            self.good(proxy, of_prefix(n))
        self.good(proxy)

    def test_streams_come_token_by_token(self):
        servers, proxy = self.behind()
        body = {"prompt": "Once", "stream": True, "n": 50, "ignore_eos": True}  # minutes
        with proxy.asked("POST", ROUTE, body, of_prefix(1)) as answer:
            self.assertEqual(answer.status, 200)
            seen = 0
            while seen < 5:
                seen += answer.readline().startswith(b"data: {")
            self.assertTrue(any(self.busy(servers)))
        self.until(lambda: not any(self.busy(servers)))  # it hears that the client has left

    def busy(self, servers):
        return [slot["is_processing"] for one in servers for slot in one.get("/slots").json]

    def test_a_refused_request_that_writes_goes_to_another_server(self):
        server = self.servers()[0]
        for status in self.REFUSALS:
            refusing = proxies.Refusing(status)
            self.addCleanup(refusing.stop)
            proxy = self.proxy([refusing.port, server.port])
            for n in range(MANY):
                self.good(proxy, of_prefix(n))
            self.assertIn(ROUTE, refusing.paths, status)

    def test_the_refusal_of_all_servers_reaches_the_client(self):
        for status in (429, 503):
            refusing = [proxies.Refusing(status) for _ in range(2)]
            for one in refusing:
                self.addCleanup(one.stop)
            proxy = self.proxy([one.port for one in refusing])
            for n in range(6):
                self.assertEqual(proxy.ask("POST", ROUTE, BODY, of_prefix(n)).status, status)

    def test_a_refused_request_that_may_change_something_is_not_made_again(self):
        refusing = [proxies.Refusing(503) for _ in range(2)]
        for one in refusing:
            self.addCleanup(one.stop)
        proxy = self.proxy([one.port for one in refusing])
        reply = proxy.ask("POST", "/mcp/files", {"jsonrpc": "2.0"}, of_prefix(1))
        self.assertEqual(reply.status, 503)
        self.assertEqual(len(refusing[0].paths + refusing[1].paths), 1)

    def test_long_bodies_pass(self):
        _, proxy = self.behind()
        reply = proxy.ask("POST", "/tokenize", {"content": "word " * 400_000}, of_prefix(1))
        self.assertEqual(reply.status, 200)


class Nginx(Proxied, support.CliTest):
    CONFIG, PROGRAM, REFUSALS = "nginx.conf", "nginx", (429, 503)


class Haproxy(Proxied, support.CliTest):
    CONFIG, PROGRAM = "haproxy.cfg", "haproxy"


class Hook(support.CliTest):
    """nginx that asks GET /route for the server."""

    @classmethod
    def setUpClass(cls):
        if not proxies.program("nginx"):
            raise unittest.SkipTest("no nginx here")

    def setUp(self):
        ports = [proxies.free_port() for _ in range(2)]
        peers = ",".join(f"http://127.0.0.1:{port}" for port in ports)
        self.servers = []
        for port in ports:
            one = Server("--port", port, "-np", 2, "-c", 2048, "--api-key", "secret", "--peers", peers, "--peers-interval", 0.1, port=False)
            self.addCleanup(one.__exit__)
            self.servers.append(one)
        self.key = {"Authorization": "Bearer secret"}
        self.until(lambda: all(self.knows_both(one) for one in self.servers))
        self.proxy = proxies.Proxy("nginx-hook.conf", ports)
        self.addCleanup(self.proxy.stop)

    def knows_both(self, server):
        answer = server.get("/route", headers=self.key)
        return len(answer.json["servers"]) == 2 and all(one["server"] for one in answer.json["servers"])

    def cached(self, headers):
        reply = self.proxy.ask("POST", ROUTE, BODY, headers)
        self.assertEqual(reply.status, 200, reply.body)
        return reply.json["usage"]["prompt_tokens_details"]["cached_tokens"]

    def test_goes_to_the_server_that_has_the_beginning(self):
        for server in self.servers:
            self.check_prompt_of(server)
        other = {**self.key, proxies.PREFIX: "0" * 16}
        self.assertEqual(self.proxy.ask("POST", ROUTE, BODY, other).status, 200)

    def check_prompt_of(self, server):
        """Has a server read a prompt: nginx brings it there, again and again."""
        body = {**BODY, "prompt": f"Server {server.port}. " + PROMPT}
        self.assertEqual(server.post(ROUTE, body, self.key).status, 200)
        self.until(lambda: all(one.post("/route", body, self.key).json["cached_tokens"] > 0 for one in self.servers))
        answer = self.servers[0].post("/route", body, self.key).json
        self.assertEqual(answer["server"], f"http://127.0.0.1:{server.port}")
        for _ in range(4):
            reply = self.proxy.ask("POST", ROUTE, body, {**self.key, **answer["header"]})
            self.assertGreaterEqual(reply.json["usage"]["prompt_tokens_details"]["cached_tokens"], 64)

    def test_answers_though_the_best_server_is_gone(self):
        answer = self.servers[0].post("/route", BODY, self.key).json
        best = next(one for one in self.servers if answer["server"].endswith(f":{one.port}"))
        best.process.kill()
        best.process.wait()
        for _ in range(3):
            self.cached({**self.key, **answer["header"]})

    def test_a_wrong_key_is_refused(self):
        self.assertEqual(self.proxy.ask("POST", ROUTE, BODY, {"Authorization": "Bearer wrong"}).status, 401)

    def test_refusals_of_the_server_reach_the_client(self):
        reply = self.proxy.ask("POST", ROUTE, {"prompt": 5.5}, self.key)
        self.assertEqual((reply.status, json.loads(reply.body)["error"]["param"]), (400, "prompt"))


if __name__ == "__main__":
    unittest.main()
