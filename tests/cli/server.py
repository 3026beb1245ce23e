"""`skald serve` for tests: started on a free port, asked by HTTP, ended by a signal."""
import contextlib
import http.client
import json
import re
import signal
import subprocess
import tempfile

import support


class Reply:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, {k.lower(): v for k, v in headers}, body

    @property
    def json(self):
        return json.loads(self.body)


class Server:
    def __init__(self, *flags, wait=True, port=True, cwd=None):
        self.log = tempfile.TemporaryFile()
        where = ["--port", "0"] if port else []
        self.process = subprocess.Popen([support.SKALD, "serve", *where, *map(str, flags)], stdout=subprocess.PIPE, stderr=self.log,
                                        stdin=subprocess.DEVNULL, cwd=cwd, env=support.environment())
        self.line = self.process.stdout.readline().decode().strip()
        found = re.fullmatch(r"listening on http://127\.0\.0\.1:(\d+)", self.line)
        self.port = int(found[1]) if found else None
        while wait and found and not self.is_ready():
            pass

    def is_ready(self):
        try:
            return self.get("/health").status == 200
        except (OSError, http.client.HTTPException) as e:
            raise AssertionError(f"while it loads: {e!r}; exit code {self.process.poll()}; {self.errors()}") from e

    def errors(self):
        self.log.seek(0)
        return self.log.read().decode()

    def ask(self, method, path, body=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        try:
            raw = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
            connection.request(method, path, raw, headers or {})
            answer = connection.getresponse()
            return Reply(answer.status, answer.getheaders(), answer.read())
        finally:
            connection.close()

    def get(self, path, **headers):
        return self.ask("GET", path, headers=headers.get("headers"))

    def post(self, path, body, headers=None):
        return self.ask("POST", path, body, headers)

    @contextlib.contextmanager
    def busy(self):
        """Has a slot taken by a request that would take minutes, until the block ends."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.request("POST", "/v1/completions", json.dumps({"prompt": "Once", "n": 100, "ignore_eos": True}))
        while not any(slot["is_processing"] for slot in self.get("/slots").json):
            pass
        try:
            yield
        finally:
            connection.close()

    def events(self, path, body):
        """The JSON of a stream's events, and whether it ended with [DONE]."""
        raw = self.post(path, {**body, "stream": True}).body.decode()
        data = [line[6:] for line in raw.split("\n") if line.startswith("data: ")]
        done = data[-1:] == ["[DONE]"]
        return [json.loads(d) for d in (data[:-1] if done else data)], done

    def metric(self, name):
        return sum(float(line.split()[-1]) for line in self.get("/metrics").body.decode().splitlines()
                   if re.match(name + r"(\{[^}]*\})? ", line))

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        code = self.process.wait(60)
        self.process.stdout.close()
        return code

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.log.close()


class ServerTest(support.CliTest):
    """Tests that ask one server, which is started with FLAGS."""
    FLAGS = ()

    @classmethod
    def setUpClass(cls):
        cls.server = Server(*cls.FLAGS)

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()

    def good(self, path, body, headers=None):
        reply = self.server.post(path, body, headers)
        self.assertEqual(reply.status, 200, reply.body)
        return reply.json
