"""Proxies for tests: nginx and HAProxy with the configurations of packaging/, on free ports, and servers that only refuse."""
import contextlib
import http.client
import http.server
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))
from server import Reply  # noqa: E402

PROXIES = Path(__file__).resolve().parents[2] / "packaging/proxies"
PREFIX = "X-Skald-Prefix"
PATH = os.environ.get("PATH", "") + ":/usr/sbin:/usr/local/sbin"  # where nginx and HAProxy are, outside a user's PATH


def program(name):
    return shutil.which(name, path=PATH)


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def with_ports(text, listen, servers):
    """A packaged configuration for these ports: it has 8080 of its own, and 8081 and 8082 of servers."""
    ports = {"8080": f"127.0.0.1:{listen}", "8081": str(servers[0]), "8082": str(servers[1])}
    text = re.sub(r"(?<=listen )8080|(?<=bind ):8080", lambda _: ports["8080"], text)
    return re.sub(r"(?<=127\.0\.0\.1:)(8081|8082)\b", lambda found: ports[found[0]], text)


def nginx_here(text, folder):
    """For any user, in a folder."""
    text = text.replace("worker_processes auto;", "worker_processes 1;" + ("\nuser root;" if os.geteuid() == 0 else ""))
    paths = "".join(f"    {kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    return text.replace("http {\n", "http {\n" + paths, 1)


class Proxy:
    """A proxy in front of two servers."""

    def __init__(self, config, servers):
        self.port = free_port()
        self.folder = tempfile.TemporaryDirectory()
        self.log = tempfile.TemporaryFile()
        text = with_ports((PROXIES / config).read_text(), self.port, servers)
        file = Path(self.folder.name) / config
        if config.startswith("nginx"):
            text = nginx_here(text, self.folder.name)
            command = [program("nginx"), "-p", self.folder.name, "-c", str(file), "-g", f"daemon off; pid {self.folder.name}/pid;"]
        else:
            command = [program("haproxy"), "-db", "-f", str(file)]
        file.write_text(text)
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        self.wait()

    def wait(self):
        while True:
            with contextlib.suppress(OSError):
                if self.ask("GET", "/health").status == 200:
                    return
            if self.process.poll() is not None:
                raise RuntimeError(self.errors())

    def errors(self):
        self.log.seek(0)
        return self.log.read().decode()

    @contextlib.contextmanager
    def asked(self, method, path, body=None, headers=None):
        """The answer, whose body is still to be read."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(method, path, None if body is None else json.dumps(body).encode(), headers or {})
            yield connection.getresponse()
        finally:
            connection.close()

    def ask(self, method, path, body=None, headers=None):
        with self.asked(method, path, body, headers) as answer:
            return Reply(answer.status, answer.getheaders(), answer.read())

    def stop(self):
        self.process.terminate()
        self.process.wait(30)
        self.log.close()
        self.folder.cleanup()


class Refusing:
    """A server that is healthy, and answers requests with a status: what it is asked for stands in `paths`."""

    def __init__(self, status):
        paths = self.paths = []

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self, code):
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                self.send_response(code)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def do_GET(self):
                self.answer(200)

            def do_POST(self):
                paths.append(self.path)
                self.answer(status)

            def log_message(self, *_):
                pass

        class Quiet(http.server.ThreadingHTTPServer):
            def handle_error(self, *_):
                pass  # a proxy may leave at any time

        self.server = Quiet(("127.0.0.1", 0), Handler)
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
