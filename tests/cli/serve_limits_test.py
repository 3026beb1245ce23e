"""skald serve: each limit of requests, from both sides: what is just within it works, what is just beyond is refused by name."""
import json
import socket
import time

import support
from server import Server

N_CTX, N_VOCAB, WIDTH = 1024, 2048, 256  # of the embedded model
USER = [{"role": "user", "content": "Hi"}]
COMPLETION, CHAT, LLAMA = "/v1/completions", "/v1/chat/completions", "/completion"
BODIES = {COMPLETION: {"prompt": "Once", "max_tokens": 1}, CHAT: {"messages": USER, "max_tokens": 1, "logprobs": True}, LLAMA: {"prompt": "Once", "n_predict": 1},
          "/v1/messages": {"messages": USER, "max_tokens": 1}, "/v1/responses": {"input": "Hi", "max_output_tokens": 1},
          "/v1/embeddings": {"input": "Hi"}, "/tokenize": {"content": "Hi"}, "/detokenize": {"tokens": [1]}}


def nested(depth):
    """A list within a list ..., of which the body around it is one more."""
    return json.loads("[" * (depth - 1) + "]" * (depth - 1))


def object_of(keys):
    return {"properties": {f"k{i}": True for i in range(keys)}}


SPELLINGS = ("max_completion_tokens", "n_predict", "max_output_tokens")

# Path, field that is named, values within, values beyond.
FIELDS = [
    (COMPLETION, "max_tokens", [-1, 0, 3.0], [-2, 1.5, "3", True, 1e10, 2**31]),
    (CHAT, "max_completion_tokens", [0, 1], [-2, "1"]),
    (LLAMA, "n_predict", [0], [-2, []]),
    ("/v1/responses", "max_output_tokens", [1], [-2, "1"]),
    ("/v1/messages", "max_tokens", [1], [0, -1, None, 1.5]),
    (COMPLETION, "temperature", [0, 100], [-0.01, 100.01, "1", True]),
    (COMPLETION, "top_k", [0, 2**31 - 1], [-1, 0.5, 2**31]),
    (COMPLETION, "top_p", [1e-9, 1], [0, 1.0001]),
    (COMPLETION, "min_p", [0, 1], [-0.001, 1.001]),
    (COMPLETION, "typical_p", [1e-9, 1], [0, 1.001]),
    (COMPLETION, "presence_penalty", [-2, 2], [-2.01, 2.01]),
    (COMPLETION, "frequency_penalty", [-2, 2], [-2.01, 2.01]),
    (COMPLETION, "repeat_penalty", [0.001, 100], [0, 100.1]),
    (COMPLETION, "repeat_last_n", [-1, 0], [-2]),
    (COMPLETION, "seed", [-1, 0, 2**64 - 1], [-2, 2**64, 1.5, "1"]),
    (COMPLETION, "n", [1, 128], [0, 129]),
    (LLAMA, "n", [1, 3], [0, 129]),
    (COMPLETION, "best_of", [1, 3], [129, 0]),
    (COMPLETION, "stop", ["x", "x" * 1024, ["y"] * 64], ["", "x" * 1025, ["y"] * 65, [""], [1], 1]),
    ("/v1/messages", "stop_sequences", [["x"] * 64], [["x"] * 65, [""]]),
    (COMPLETION, "logit_bias", [{"0": -100, str(N_VOCAB - 1): 100}, [[5, 1]] * 1024, [[5, False]]],
     [{"0": -100.5}, {"0": 101}, {str(N_VOCAB): 1}, {"-1": 1}, [[5, 1]] * 1025, [[5, True]], [[5]], {"x": 1}]),
    (CHAT, "top_logprobs", [0, 20], [-1, 21]),
    (COMPLETION, "logprobs", [0, 20], [-1, 21]),
    (LLAMA, "n_probs", [0, 20], [-1, 21]),
    (COMPLETION, "cache_salt", ["", "s" * 256], ["s" * 257, 1]),
    (COMPLETION, "priority", [-100, 100], [-101, 101]),
    (CHAT, "reasoning_budget", [-1, 0], [-2]),
    (CHAT, "reasoning_format", ["none", "auto"], ["some", 1]),
    (COMPLETION, "prompt", [["x"] * 64, [5] * (N_CTX - 1), [N_VOCAB - 1]], [["x"] * 65, [5] * N_CTX, [N_VOCAB], [-1], [], [[]], None, 5]),
    ("/v1/embeddings", "input", [["x"] * 2048, [5] * N_CTX], [["x"] * 2049, [5] * (N_CTX + 1), [], "", [N_VOCAB]]),
    ("/v1/embeddings", "dimensions", [1, WIDTH], [0, WIDTH + 1]),
    ("/v1/embeddings", "encoding_format", ["float", "base64"], ["int8"]),
    ("/detokenize", "tokens", [[], [N_VOCAB - 1]], [[N_VOCAB], [-1], [1.5], "x"]),
    ("/tokenize", "add_special", [True], ["yes", 1]),
    (CHAT, "chat_template_kwargs", [{}, {"a": 1}], [[1]]),
    (COMPLETION, "mirostat", [0, 2], [-1, 3]),
    (COMPLETION, "xtc_probability", [0, 1], [-0.1, 1.1]),
    (COMPLETION, "adaptive_decay", [0, 0.99], [1]),
    (COMPLETION, "id_slot", [-1, 5], [-2, 1.5, "0"]),
    (COMPLETION, "min_keep", [0, 3000], [-1, 1.5]),
    (COMPLETION, "n_indent", [0, 4], [-1, "1"]),
    (COMPLETION, "n_keep", [-1, 5], [-2, "1"]),
    (COMPLETION, "n_discard", [0, 5], [-1, 0.5]),
    (COMPLETION, "n_cache_reuse", [0, 256], [-1, True]),
    (COMPLETION, "t_max_predict_ms", [-1, 0, 1000], [-2, "1"]),
    (COMPLETION, "t_max_prompt_ms", [-1, 0, 1000], [-2, 1.5]),
    ("/v1/responses", "store", [True, False], [1, "no"]),
    ("/v1/responses", "background", [False], [True, 1]),
    ("/v1/responses", "truncation", ["auto", "disabled"], ["some"]),
]


class Limits(support.CliTest):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("-np", 8, "-c", 16384, "--chat-template", "chatml", "--max-body", "1M", "--log-jsonl")

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()

    def status(self, body, path=COMPLETION):
        reply = self.server.post(path, body)
        return reply.status, reply.json["error"]["message"] if reply.status != 200 else ""

    def test_fields_have_their_ranges(self):
        for path, field, within, beyond in FIELDS:
            body = {**BODIES[path]}
            if field in SPELLINGS:  # two spellings with different values are refused
                body.pop("max_tokens", None)
            for value in within:
                reply = self.server.post(path, {**body, field: value})
                self.assertEqual(reply.status, 200, (path, field, str(value)[:40], reply.body[:200]))
            for value in beyond:
                wrong = {**body, field: value}
                if value is None:
                    del wrong[field]
                reply = self.server.post(path, wrong)
                self.assertEqual(reply.status, 400, (path, field, str(value)[:40], reply.body[:200]))
                error = reply.json["error"]
                self.assertIn(field, error["message"])
                if path != "/v1/messages":
                    self.assertTrue(error["param"].startswith(field), (path, field, error))
                    self.assertEqual(error["type"], "invalid_request_error")

    def test_null_is_as_if_absent(self):
        for path, field, _, _ in FIELDS:
            if field not in ("prompt", "input", "tokens", "content") and (path, field) != ("/v1/messages", "max_tokens"):
                self.assertEqual(self.server.post(path, {**BODIES[path], "max_tokens": 1, field: None}).status, 200, (path, field))

    def test_spellings_of_a_field_agree(self):
        self.assertEqual(self.status({"prompt": "x", "max_tokens": 1, "n_predict": 1.0})[0], 200)
        status, message = self.status({"prompt": "x", "max_tokens": 1, "n_predict": 2})
        self.assertEqual(status, 400)
        self.assertIn("n_predict", message)

    def test_bodies_have_a_depth_a_size_and_a_form(self):
        self.assertEqual(self.status({"prompt": "x", "max_tokens": 1, "unknown": nested(64)})[0], 200)
        status, message = self.status({"prompt": "x", "max_tokens": 1, "unknown": nested(65)})
        self.assertEqual(status, 400)
        self.assertIn("64", message)
        self.assertEqual(self.status({"prompt": "x", "max_tokens": 1, "unknown": object_of(8000)})[0], 200)
        self.assertEqual(self.status({"prompt": "x", "max_tokens": 1, "unknown": object_of(9000)})[0], 400)
        within = json.dumps({"prompt": "x", "max_tokens": 1, "pad": ""}).encode()
        pad = b" " * ((1 << 20) - len(within))
        self.assertEqual(self.server.post(COMPLETION, within + pad).status, 200)
        self.assertEqual(self.server.post(COMPLETION, within + pad + b" ").status, 413)
        for raw, name in ((b'{"prompt": "x", "temperature": 100000000000000000000000000000}', "temperature"),
                          (b'{"prompt": "x", "options": {"a": [1, -100000000000000000000000000000]}}', "options.a[1]"),
                          (b'{"prompt": "\\ud800"}', None), (b'{"prompt": "\xff"}', None), (b'{"prompt": NaN}', None), (b"[]", None)):
            reply = self.server.post(COMPLETION, raw)
            self.assertEqual(reply.status, 400, raw)
            if name:
                self.assertEqual(reply.json["error"]["param"], name)
                self.assertIn(name, reply.json["error"]["message"])
        twice = b'{"prompt": "x", "max_tokens": "wrong", "max_tokens": 2, "ignore_eos": true}'  # the last one counts
        self.assertEqual(self.server.post(COMPLETION, twice).json["usage"]["completion_tokens"], 2)

    def test_heads_have_their_lengths(self):
        def ask(head):
            with socket.create_connection(("127.0.0.1", self.server.port)) as s:
                s.sendall(head)
                return int(s.recv(100).split()[1])
        line = lambda size: b"GET /health?" + b"a" * (size - len(b"GET /health? HTTP/1.1")) + b" HTTP/1.1\r\nHost: x\r\n\r\n"
        self.assertEqual([ask(line(8 << 10)), ask(line((8 << 10) + 1))], [200, 414])
        fields = lambda count: b"GET /health HTTP/1.1\r\nHost: x\r\n" + b"A: b\r\n" * (count - 1) + b"\r\n"
        self.assertEqual([ask(fields(100)), ask(fields(101))], [200, 431])
        self.assertEqual(ask(b"GET /health HTTP/1.1\r\nHost: x\r\nA: " + b"b" * (64 << 10) + b"\r\n\r\n"), 431)

    def test_ids_of_requests_have_a_length(self):
        for given, kept in (("a" * 64, True), ("a" * 65, False), ("A.b_c-9", True), ("a b", False), ("a/b", False)):
            reply = self.server.get("/health", headers={"x-request-id": given})
            self.assertEqual(reply.headers["x-request-id"] == given, kept, given)

    def test_contexts_name_their_length(self):
        for path, body in ((COMPLETION, {"prompt": [5] * N_CTX}), (LLAMA, {"prompt": [5] * N_CTX}),
                           (CHAT, {"messages": [{"role": "user", "content": "pond " * 2000}]}), ("/v1/responses", {"input": "pond " * 2000})):
            error = self.server.post(path, body).json["error"]
            self.assertEqual((error["code"], error["n_ctx"]), ("context_length_exceeded", N_CTX), path)
            self.assertIn(str(error["n_prompt_tokens"]), error["message"])
        full = self.server.post(COMPLETION, {"prompt": [5] * (N_CTX - 3), "ignore_eos": True}).json
        self.assertEqual((full["usage"]["completion_tokens"], full["choices"][0]["finish_reason"]), (3, "length"))

    def test_schemas_that_cannot_be_kept_name_field_and_keyword(self):
        wrong = {"type": "string", "pattern": "(?<=a)b("}
        for body, field in (({"json_schema": wrong}, "json_schema"), ({"response_format": {"type": "json_schema", "json_schema": {"schema": wrong}}}, "response_format"),
                            ({"grammar": "root ::= ("}, "grammar")):
            reply = self.server.post(COMPLETION, {**BODIES[COMPLETION], **body})
            self.assertEqual(reply.status, 400, body)
            error = reply.json["error"]
            self.assertTrue(error["param"].startswith(field), error)
            self.assertIn("pattern" if field != "grammar" else "grammar", error["message"])

    def test_names_in_the_log_are_bounded(self):
        self.server.post(COMPLETION, {**BODIES[COMPLETION], **{"x" * 100 + str(i): 1 for i in range(40)}}, {"x-request-id": "many-names"})
        line = next(l for l in map(json.loads, self.server.errors().splitlines()) if l.get("id") == "many-names")
        self.assertEqual([len(name) for name in line["ignored"]], [64] * 16)
        name = self.server.get("/v1/models").json["data"][0]["id"]
        self.server.post("/api/generate", {"model": name, "prompt": "x", "options": {"num_predict": 1, "num_ctx": 64}}, {"x-request-id": "options"})
        self.assertIn("options.num_ctx", next(l for l in map(json.loads, self.server.errors().splitlines()) if l.get("id") == "options")["ignored"])


class Queues(support.CliTest):
    def test_connections_and_requests_that_wait_have_a_number(self):
        with Server("--max-connections", 3) as server:
            held = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(3)]
            for s in held:
                s.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
                self.assertIn(b" 200 ", s.recv(4096))
            with socket.create_connection(("127.0.0.1", server.port)) as s:
                answer = s.recv(4096)
            self.assertIn(b" 503 ", answer)
            self.assertIn(b"retry-after", answer.lower())
            for s in held:
                s.close()

    def test_bodies_have_a_total(self):
        begin = lambda path, n: b"POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n{" % (path, n)
        with Server("--max-body", "1M", "--max-body-total", "2M") as server:
            held = socket.create_connection(("127.0.0.1", server.port))
            held.sendall(begin(b"/v1/completions", 1 << 20))
            answer = b""
            while not answer:  # as long as the first one's head is not read, this one has room
                with socket.create_connection(("127.0.0.1", server.port), timeout=1) as s:
                    s.sendall(begin(b"/v1/messages", (1 << 20) - 1000))
                    try:
                        answer = s.recv(4096)  # before its body is sent
                    except TimeoutError:
                        pass
            self.assertIn(b" 503 ", answer)
            self.assertIn(b"retry-after: ", answer.lower())
            self.assertIn(b"overloaded_error", answer)
            self.assertEqual(server.post("/v1/completions", {"prompt": "x", "max_tokens": 1}).status, 200)  # little has room
            held.close()
            big = {"prompt": "x", "max_tokens": 1, "pad": "x" * ((1 << 20) - 1000)}
            while server.post("/v1/completions", big).status == 503:  # until the server has seen that the first one is gone
                time.sleep(0.01)
            for _ in range(4):  # what was held is given back
                self.assertEqual(server.post("/v1/completions", big).status, 200)
        message = support.skald("serve", "--max-body", "1M", "--max-body-total", "1M").stderr.decode()
        self.assertIn("--max-body-total", message)

    def test_a_full_queue_is_429(self):
        with Server("-np", 1, "--queue", 1) as server:
            held = []
            for _ in range(2):
                s = socket.create_connection(("127.0.0.1", server.port))
                body = json.dumps({"prompt": "x", "ignore_eos": True, "n": 100, "stream": True}).encode()
                s.sendall(b"POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
                self.assertIn(b" 200 ", s.recv(4096))
                held.append(s)
            reply = server.post("/v1/completions", {"prompt": "x", "max_tokens": 1})
            self.assertEqual((reply.status, reply.json["error"]["type"]), (429, "rate_limit_error"))
            self.assertGreaterEqual(int(reply.headers["retry-after"]), 0)
            for s in held:
                s.close()


def receive_all(s):
    data = b""
    while piece := s.recv(1 << 16):
        data += piece
    return data


class SlowClients(support.CliTest):
    def test_a_quiet_connection_and_a_slow_request_are_closed(self):
        with Server("--timeout", 1, "--request-timeout", 1) as server:
            open_ = lambda: socket.create_connection(("127.0.0.1", server.port), timeout=30)
            with open_() as quiet, open_() as head, open_() as body:
                quiet.sendall(b"GET /health HTTP/1.1\r\nHost: x\r\n\r\n")
                head.sendall(b"GET /health HTTP/1.1\r\n")
                body.sendall(b"POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{")
                self.assertTrue(receive_all(quiet).startswith(b"HTTP/1.1 200 "))
                self.assertTrue(receive_all(head).startswith(b"HTTP/1.1 408 "))
                self.assertTrue(receive_all(body).startswith(b"HTTP/1.1 408 "))

    def test_a_whole_answer_that_is_not_read_is_dropped(self):
        with Server("--stream-buffer", "64K", "--request-timeout", 1, "--metrics") as server, socket.socket() as s:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            s.connect(("127.0.0.1", server.port))
            body = json.dumps({"input": [[i] for i in range(3, 2048)] + [[i, i] for i in range(3, 1024)][:3]}).encode()  # 10 MB of numbers
            s.sendall(b"POST /v1/embeddings HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            self.until(lambda: server.metric("skald_connections") == 2)
            self.until(lambda: server.metric("skald_connections") == 1)  # which asks for this
            self.assertEqual(server.post(COMPLETION, BODIES[COMPLETION]).status, 200)

    def test_a_reader_that_is_behind_waits_and_one_that_is_gone_is_cut(self):
        with Server("--stream-buffer", "4K", "--timeout", 4, "-np", 8, "-c", 16384, "--metrics") as server, socket.socket() as s:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            s.connect(("127.0.0.1", server.port))
            body = json.dumps({"prompt": "x", "ignore_eos": True, "n": 8, "stream": True, "logprobs": 20}).encode()
            s.sendall(b"POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            written = lambda: server.metric("skald_tokens_predicted_total")
            self.until(lambda: written() > 0)
            self.until(lambda: not any(slot["is_processing"] for slot in server.get("/slots").json))
            self.assertLess(written(), 8 * 1000)  # its texts wait and are not over
            self.assertEqual(server.post(COMPLETION, BODIES[COMPLETION]).status, 200)  # in their places
            self.until(lambda: server.metric("skald_requests_cancelled_total") == 1)
            self.until(lambda: server.metric("skald_pages_active") == 0)


support.main()
