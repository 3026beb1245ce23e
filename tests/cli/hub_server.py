"""A server on this machine that speaks the hub's API, and does on demand what servers and networks do wrong."""
import hashlib
import http.server
import json
import threading
import urllib.parse


def git_sum(content):
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def sha256(content):
    return hashlib.sha256(content).hexdigest()


class Hub:
    """repos: {"user/repo": {"path": bytes}}; all are at one commit. `faults`: {a part of the URL's path: [action, ...]}, each used
    once, in order; an action is a function of the handler that answers itself, or gives None to let the usual answer follow."""

    COMMIT = "0123456789abcdef0123456789abcdef01234567"

    def __init__(self, repos=()):
        self.repos = {name: dict(files) for name, files in dict(repos).items()}
        self.commit, self.sizes, self.page, self.token, self.lfs_from = self.COMMIT, {}, None, None, 64
        self.faults, self.requests = {}, []
        self.ranges, self.listing = True, None
        hub = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True  # a body would wait 40 ms for the client to have seen the headers

            def do_GET(self):
                hub.requests.append((self.path, dict(self.headers)))
                self.answer = lambda *args, **kwargs: hub.answer(self, *args, **kwargs)
                hub.serve(self)

            do_HEAD = do_GET  # huggingface_hub asks so what a file is

            def log_message(self, *args):
                pass

        class Server(http.server.ThreadingHTTPServer):
            def handle_error(self, *args):  # the client may go away
                pass

        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def paths(self, part=""):
        return [path for path, _ in self.requests if part in path]

    def answer(self, handler, status, body=b"", headers=(), cut=None):
        """With `cut`, only this many bytes of the body come."""
        handler.send_response(status)
        for name, value in dict(headers).items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        if handler.command != "HEAD":
            handler.wfile.write(body if cut is None else body[:cut])
        if cut is not None:
            handler.wfile.flush()
            handler.close_connection = True

    def serve(self, handler):
        path = urllib.parse.unquote(handler.path)
        for part, actions in self.faults.items():
            if part in path and actions:
                if actions.pop(0)(handler) is not None:
                    return
                break
        if self.token and handler.headers.get("Authorization") != f"Bearer {self.token}":
            return self.answer(handler, 401, b'{"error": "no"}', {"X-Error-Message": "Invalid username or password."})
        self.usual(handler, path)

    def usual(self, handler, path, cut=None):
        path, _, query = path.partition("?")
        parts = path.strip("/").split("/")
        if parts[:2] == ["api", "models"]:
            return self.api(handler, "/".join(parts[2:4]), parts[4], "/".join(parts[5:]), urllib.parse.parse_qs(query))
        if parts[2:3] == ["resolve"]:
            return self.file(handler, "/".join(parts[:2]), parts[3], "/".join(parts[4:]), cut)
        self.answer(handler, 404)

    def api(self, handler, repo, kind, revision, query):
        if repo not in self.repos:
            return self.answer(handler, 404, b"{}", {"X-Error-Message": "Repository not found"})
        if kind == "revision":
            if revision not in ("main", "v1", self.commit):
                return self.answer(handler, 404, b"{}", {"X-Error-Message": "Invalid rev id"})
            return self.json(handler, {"id": repo, "sha": self.commit})
        entries = self.listing if self.listing is not None else self.entries(repo)
        start = int(query.get("cursor", ["0"])[0])
        page = self.page or len(entries) + 1
        headers = {}
        if start + page < len(entries):
            headers["Link"] = f'<{self.url}/api/models/{repo}/tree/{revision}?recursive=true&cursor={start + page}>; rel="next"'
        self.json(handler, entries[start:start + page], headers)

    def entries(self, repo):
        out = [{"type": "directory", "path": "sub", "oid": "0" * 40, "size": 0}]
        for path, content in self.repos[repo].items():
            size = self.sizes.get(path, len(content))
            entry = {"type": "file", "path": path, "size": size, "oid": git_sum(content)}
            if len(content) >= self.lfs_from:
                entry["lfs"] = {"oid": sha256(content), "size": size, "pointerSize": 134}
            out.append(entry)
        return out

    def json(self, handler, value, headers=()):
        self.answer(handler, 200, json.dumps(value).encode(), {"Content-Type": "application/json", **dict(headers)})

    def file(self, handler, repo, commit, path, cut):
        content = self.repos.get(repo, {}).get(path)
        if content is None or commit not in ("main", self.commit):
            return self.answer(handler, 404, b"", {"X-Error-Message": "Entry not found"})
        # What huggingface_hub asks for.
        sum = sha256(content) if len(content) >= self.lfs_from else git_sum(content)
        headers = {"ETag": f'"{sum}"', "X-Repo-Commit": self.commit, "X-Linked-Size": str(len(content)), "X-Linked-ETag": f'"{sum}"'}
        wanted = handler.headers.get("Range", "")
        if not self.ranges or not wanted.startswith("bytes="):
            return self.answer(handler, 200, content, headers, cut)
        first, _, last = wanted.removeprefix("bytes=").partition("-")
        first, last = int(first), int(last) if last else len(content) - 1
        if first >= len(content):
            return self.answer(handler, 416, b"", {"Content-Range": f"bytes */{len(content)}"})
        part = content[first:last + 1]
        self.answer(handler, 206, part, {**headers, "Content-Range": f"bytes {first}-{first + len(part) - 1}/{len(content)}"}, cut)

    # Actions

    def cut(self, bytes):
        return lambda h: self.usual(h, urllib.parse.unquote(h.path), cut=bytes) or True

    def status(self, code, **headers):
        return lambda h: self.answer(h, code, b"", {name.replace("_", "-"): value for name, value in headers.items()}) or True

    def redirect(self, to, code=302):
        return lambda h: self.answer(h, code, b"", {"Location": to}) or True

    def body(self, body, **headers):
        return lambda h: self.answer(h, 200, body, {name.replace("_", "-"): value for name, value in headers.items()}) or True
