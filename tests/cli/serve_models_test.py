"""skald serve --models-dir: requests that wait for a model get it or the reason why not; clients that left change nothing."""
import json
import signal
import socket
import threading

import support
from server import Server

COMPLETION = "/v1/completions"
LONG = {"model": "one", "prompt": [5, 6, 7], "ignore_eos": True, "n": 128, "stream": True, "logprobs": 20}
SHORT = {"model": "two", "prompt": [5, 6, 7], "max_tokens": 1}


class Asked:
    """A request on its way, and its answer when it has come."""
    def __init__(self, server, path, body):
        self.reply = None
        self.thread = threading.Thread(target=self.ask, args=(server, path, body))
        self.thread.start()

    def ask(self, server, path, body):
        self.reply = server.post(path, body)

    def answer(self):
        self.thread.join()
        return self.reply


class Models(support.CliTest):
    def setUp(self):
        super().setUp()
        self.folder = self.new_folder()
        for name in ("one", "two"):
            (self.folder / f"{name}.gguf").symlink_to(support.DATA / "golden/gpt2/model.gguf")

    def serve(self, *flags):
        return Server("--models-dir", self.folder, "--models-max", 1, "--stream-buffer", "4K", "--metrics", *flags)

    def send(self, server, path, body):
        data = json.dumps(body).encode()
        s = socket.socket()
        self.addCleanup(s.close)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        s.connect(("127.0.0.1", server.port))
        s.sendall(b"POST %s HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % (path.encode(), len(data)) + data)
        return s

    def busy(self, server):
        """A connection whose request keeps the model "one": it reads no more of its stream, which waits."""
        s = self.send(server, COMPLETION, LONG)
        self.assertIn(b" 200 ", s.recv(100))
        return s

    def states(self, server):
        return {m["id"]: m["status"]["value"] for m in server.get("/v1/models").json["data"]}

    def connections(self, server, n):
        self.until(lambda: server.metric("skald_connections") == n)

    def test_a_model_that_vanished_is_404_in_every_dialect(self):
        with self.serve() as server:
            held = self.busy(server)
            message = {"model": "two", "max_tokens": 1, "messages": [{"role": "user", "content": "x"}]}
            asked = [Asked(server, COMPLETION, SHORT), Asked(server, "/v1/messages", message)]
            self.connections(server, 4)
            (self.folder / "two.gguf").unlink()
            self.assertEqual(list(self.states(server)), ["one"])  # the folder is read again
            held.close()
            openai, anthropic = (a.answer() for a in asked)
            self.assertEqual((openai.status, openai.json["error"]["code"]), (404, "model_not_found"))
            self.assertEqual((anthropic.status, anthropic.json["error"]["type"]), (404, "not_found_error"))
            for reply in (openai, anthropic):
                self.assertIn("two", reply.json["error"]["message"])
            self.assertEqual(server.post("/api/generate", {"model": "two", "prompt": "x"}).status, 404)
            self.assertEqual(self.states(server), {"one": "loaded"})

    def test_adapters_in_the_folder_are_no_models(self):
        (self.folder / "style.gguf").symlink_to(support.DATA / "lora/llama_all/adapter.gguf")
        with self.serve() as server:
            self.assertEqual(list(self.states(server)), ["one", "two"])
            reply = server.post(COMPLETION, {**SHORT, "model": "style"})
            self.assertEqual((reply.status, reply.json["error"]["code"]), (404, "model_not_found"))

    def test_a_client_that_left_swaps_no_models(self):
        with self.serve() as server:
            held = self.busy(server)
            waits = self.send(server, COMPLETION, SHORT)
            self.connections(server, 3)
            waits.close()
            self.until(lambda: server.metric("skald_requests_cancelled_total") == 1)
            held.close()
            self.until(lambda: server.metric("skald_requests_cancelled_total") == 2)
            self.assertEqual(server.post(COMPLETION, {**SHORT, "model": "one"}).status, 200)
            self.assertEqual(self.states(server), {"one": "loaded", "two": "unloaded"})

    def test_those_that_wait_for_models_have_a_number(self):
        with self.serve("--queue", 1) as server:
            held = self.busy(server)
            waits = Asked(server, COMPLETION, SHORT)
            self.connections(server, 3)
            reply = Asked(server, COMPLETION, SHORT)
            self.until(lambda: not (waits.thread.is_alive() and reply.thread.is_alive()))
            first, second = (reply, waits) if waits.thread.is_alive() else (waits, reply)
            self.assertEqual((first.answer().status, first.answer().json["error"]["type"]), (503, "unavailable_error"))
            self.assertGreaterEqual(int(first.answer().headers["retry-after"]), 1)
            held.close()
            self.assertEqual(second.answer().status, 200)

    def test_the_server_ends_though_a_request_waits_for_a_model(self):
        with self.serve("--drain", 1) as server:
            self.busy(server)
            waits = Asked(server, COMPLETION, SHORT)
            self.connections(server, 3)
            self.assertEqual(server.stop(signal.SIGTERM), 0)
            self.assertEqual(waits.answer().status, 503)
            self.assertIn("being stopped", waits.answer().json["error"]["message"])


support.main()
