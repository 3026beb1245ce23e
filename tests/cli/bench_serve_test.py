"""`skald bench serve` against `skald serve`, and against servers that answer badly."""
import csv
import io
import json
import re
import signal
import socket
import subprocess
import tempfile
import threading
import time

import support
from server import Server

MODELS = b'{"object":"list","data":[{"id":"first"},{"id":"second"}]}'
SSE = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
PLAIN = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"


def answer(status, body, more=b""):
    return b"HTTP/1.1 %b\r\nContent-Type: application/json\r\n%bContent-Length: %d\r\n\r\n%b" % (status, more, len(body), body)


def event(**fields):
    return b"data: " + json.dumps(fields).encode() + b"\n\n"


TEXT, END = event(choices=[{"delta": {"content": "a"}}]), event(choices=[{"delta": {}, "finish_reason": "length"}]) + b"data: [DONE]\n\n"
GOOD = PLAIN + TEXT + TEXT + END


class Scripted:
    """A server whose answer to the n-th completion is what `script` says: bytes, or a function of the connection."""
    def __init__(self, script, models=answer(b"200 OK", MODELS)):
        self.script, self.models, self.requests = script, models, []
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection = self.socket.accept()[0]
            except OSError:
                return
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with connection:
            try:
                raw = b""
                while b"\r\n\r\n" not in raw:
                    raw += connection.recv(65536)
                head, _, body = raw.partition(b"\r\n\r\n")
                length = next((int(h.split(b":")[1]) for h in head.split(b"\r\n") if h.lower().startswith(b"content-length")), 0)
                while len(body) < length:
                    body += connection.recv(65536)
                if head.startswith(b"GET /v1/models"):
                    return connection.sendall(self.models)
                number = len(self.requests)
                self.requests.append((head.decode(), json.loads(body)))
                said = self.script(number)
                said(connection) if callable(said) else connection.sendall(said)
            except OSError:
                pass  # the client has left

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()


def endless(first, more):
    def say(connection):
        connection.sendall(first)
        while True:
            connection.sendall(more)
    return say


class BenchServe(support.CliTest):
    def bench(self, *flags, code=0, **options):
        r = support.skald("bench", "serve", *flags, **options)
        self.assertEqual(r.returncode, code, r.stderr.decode())
        return r.stdout.decode(), r.stderr.decode()

    def rows(self, *flags, **options):
        return json.loads(self.bench(*flags, "-o", "json", **options)[0])

    def test_measures_our_server(self):
        with Server("--metrics") as server:
            url = f"http://127.0.0.1:{server.port}"
            for endpoint in ("chat", "completions"):
                rows = self.rows("--url", url, "--endpoint", endpoint, "--concurrency", "1,3", "--requests", 6, "-p", 100, "-n", 8)
                self.assertEqual([(r["clients"], r["requests"], r["failed"]) for r in rows], [(1, 6, 0), (3, 6, 0)])
                for r in rows:
                    self.assertEqual(r["output_tokens"], 8)
                    self.assertLess(abs(r["prompt_tokens"] - 100), 15)
                    self.assertLess(0, r["ttft_p50_ms"])
                    self.assertLessEqual(r["ttft_p50_ms"], r["ttft_p99_ms"])
                    self.assertLess(r["ttft_p99_ms"], r["e2e_p99_ms"] + 1e-6)
                    self.assertGreater(r["output_tokens_per_s"], 0)
            rows = self.rows("--url", url + "/v1", "--rate", "50,inf", "--requests", 5, "-p", 200, "--shared-prefix", 150, "-n", 4, "--goodput", "ttft:600000")
            self.assertEqual([(r["rate"], r["requests"], r["goodput"]) for r in rows], [(50, 5, 1), ("inf", 5, 1)])
            self.assertGreater(rows[1]["cached_share"], 0.3)

    def test_prompts_of_a_file(self):
        prompts = self.new_folder() / "prompts.jsonl"
        prompts.write_text('{"prompt": "one", "max_tokens": 3}\n{"messages": [{"role": "system", "content": "two"}]}\n')
        with Scripted(lambda n: GOOD) as server:
            self.rows("--url", server.url, "-f", prompts, "--concurrency", 1, "--requests", 4, "--warmup", 0, "-n", 9)
            bodies = [body for _, body in server.requests]
            self.assertEqual([b["messages"][0]["content"] for b in bodies], ["one", "two", "one", "two"])
            self.assertEqual([b["max_tokens"] for b in bodies], [3, 9, 3, 9])
            self.assertTrue(all(b["model"] == "first" and b["temperature"] == 0 and b["stream"] for b in bodies))

    def test_keys_and_models_are_sent(self):
        with Scripted(lambda n: GOOD) as server:
            self.rows("--url", server.url, "--api-key", "secret", "--model", "second", "--concurrency", 1, "--requests", 1, "--no-ignore-eos", "--temp", 0.5)
            for head, body in server.requests:
                self.assertIn("Authorization: Bearer secret", head)
                self.assertEqual((body["model"], body["temperature"], "ignore_eos" in body), ("second", 0.5, False))

    def test_equal_beginnings_have_equal_prefixes(self):
        lines = b'{"prompt":"One book. Why?"}\n{"prompt":"One book. How?"}\n{"prompt":"Other book. Why?"}'
        with Scripted(lambda n: GOOD) as server:
            flags = ("--url", server.url, "-f", "/dev/stdin", "--warmup", 0, "--concurrency", 1, "--requests", 3)
            self.bench(*flags, "--prefix-bytes", 62, stdin=lines)
            prefixes = [re.search(r"X-Skald-Prefix: (.+)\r", head)[1] for head, _ in server.requests]
            self.assertEqual(prefixes[0], prefixes[1])
            self.assertNotEqual(prefixes[0], prefixes[2])
            self.bench(*flags, stdin=lines)
            self.assertNotIn("X-Skald-Prefix", server.requests[3][0])

    def test_reports_have_four_forms(self):
        with Scripted(lambda n: GOOD) as server:
            flags = ("--url", server.url, "--concurrency", "1,2", "--requests", 2, "--percentiles", "50,95")
            text = self.bench(*flags)[0]
            self.assertIn("TTFT p50/p95 (ms)", text)
            self.assertIn("does not say how many tokens", text)
            self.assertEqual([r["clients"] for r in csv.DictReader(io.StringIO(self.bench(*flags, "-o", "csv")[0]))], ["1", "2"])
            self.assertIn("output tokens/s", support.svg_texts(self.bench(*flags, "-o", "svg")[0]))

    def test_failures_are_told_and_counted(self):
        bad = [answer(b"429 Slow", b'{"error":{"message":"queue is full"}}'), PLAIN + TEXT, SSE + b"5\r\ndata:", b"", PLAIN + TEXT + event(error={"message": "out of pages"}),
               b"SSH-2.0-x\r\n", PLAIN + b"data: {garbage\n\n", answer(b"200 OK", b"{}"), endless(b"HTTP/1.1 200 OK\r\n", b"A: b\r\n" * 1000),
               endless(PLAIN + b"data: ", b"x" * 65536)]
        with Scripted(lambda n: bad[n] if n < len(bad) else GOOD) as server:
            flags = ("--url", server.url, "-f", "/dev/stdin", "--warmup", 0, "--concurrency", 1, "--requests", len(bad) + 2)
            out, message = self.bench(*flags, "-o", "json", code=1, stdin=b'{"prompt":"x"}')
            row, = json.loads(out)
            self.assertEqual((row["requests"], row["failed"], sum(row["errors"].values())), (len(bad) + 2, len(bad), len(bad)), row["errors"])
            for text in ("status 429: queue is full", "without saying", "closed within the answer", "closed without an answer", "out of pages", "no HTTP", "garbage", "no stream",
                         "headers of more than", "event of more than"):
                self.assertTrue(any(text in error for error in row["errors"]), (text, row["errors"]))
            self.assertIn(f"{len(bad)} requests failed", message)

    def test_a_server_that_falls_silent_is_left(self):
        with Scripted(lambda n: lambda connection: time.sleep(600)) as server:
            message = self.bench("--url", server.url, "--model", "x", "-f", "-", "--warmup", 0, "--concurrency", 1, "--requests", 1, "--timeout", 1, code=1, stdin=b'{"prompt":"x"}')[0]
            self.assertIn("no byte came for 1 seconds", message)

    def test_servers_that_cannot_be_measured_are_named(self):
        with socket.create_server(("127.0.0.1", 0)) as taken:
            free = taken.getsockname()[1]
        self.assertIn(f"127.0.0.1:{free}", self.bench("--url", f"http://127.0.0.1:{free}", code=1)[1])
        for models, says in ((answer(b"401 No", b"{}"), "401"), (answer(b"200 OK", b"[]"), "no list of models"), (b"", "without an answer")):
            with Scripted(lambda n: GOOD, models) as server:
                self.assertIn(says, self.bench("--url", server.url, code=1)[1])
        with Scripted(lambda n: answer(b"404 No", b'{"detail":"no chats here"}')) as server:
            self.assertIn("no chats here", self.bench("--url", server.url, code=1)[1])

    def test_wrong_flags_are_named(self):
        for flags, name in ((("--url", "ftp://x"), "--url"), (("--rate", "0"), "--rate"), (("--rate", "1", "--concurrency", "2"), "--rate"), (("--concurrency", "0"), "--concurrency"),
                            (("--endpoint", "x"), "--endpoint"), (("-p", "10", "--shared-prefix", "10"), "--shared-prefix"), (("--prefix-bytes", "-1"), "--prefix-bytes"), (("--goodput", "speed:1"), "--goodput"),
                            (("--percentiles", "101"), "--percentiles"), (("-o", "png"), "-o"), (("--timeout", "0"), "--timeout"), (("--rate", "inf", "--duration", "1"), "--duration")):
            self.fails(2, "bench", "serve", *flags, says=name)

    def test_what_has_ended_is_reported_at_an_interrupt(self):
        with Scripted(lambda n: GOOD if n < 3 else lambda connection: time.sleep(60)) as server:
            with tempfile.TemporaryFile() as errors:
                running = subprocess.Popen([support.SKALD, "bench", "serve", "--url", server.url, "-f", "-", "--warmup", "0", "--concurrency", "1", "-o", "json"],
                                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, env=support.environment())
                running.stdin.write(b'{"prompt":"x"}\n')
                running.stdin.close()
                while len(server.requests) < 4:
                    time.sleep(0.01)
                running.send_signal(signal.SIGINT)
                row, = json.loads(running.stdout.read())
                running.stdout.close()
                self.assertEqual((running.wait(60), row["requests"], row["failed"]), (130, 3, 0))


support.main()
