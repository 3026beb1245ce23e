"""A server of tools for tests, of the Model Context Protocol over streamable HTTP: with sessions, JSON and streams."""
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

WORD = {"type": "object", "properties": {"word": {"enum": ["alpha"]}}, "required": ["word"], "additionalProperties": False}
NOTHING = {"type": "object", "properties": {}, "additionalProperties": False}
HTML = "<img src=x onerror='pwned = 1'>"


class McpServer:
    """Has the tools echo, fail, slow (which ends only when it is cancelled) and count."""

    def __init__(self, token=None, tools=None):
        self.token, self.session, self.methods, self.calls = token, 0, [], 0
        self.cancelled = threading.Event()
        described = {"echo": WORD, "fail": NOTHING, "slow": NOTHING, "count": NOTHING}
        self.tools = tools or [{"name": name, "description": HTML, "inputSchema": schema} for name, schema in described.items()]
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                server.answer(self, json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

            def do_DELETE(self):
                server.methods.append("DELETE")
                reply(self, 204)

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.thread = threading.Thread(target=self.http.serve_forever, daemon=True)
        self.thread.start()
        self.url = f"http://127.0.0.1:{self.http.server_port}/mcp"

    def expire(self):
        """Ends all sessions."""
        self.session += 1

    def answer(self, request, message):
        method = message.get("method")
        self.methods.append(method)
        if self.token and request.headers["Authorization"] != f"Bearer {self.token}":
            return reply(request, 401)
        if method == "initialize":
            result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "test", "version": "1"}}
            return reply_json(request, message, result, {"Mcp-Session-Id": f"session-{self.session}"})
        if request.headers["Mcp-Session-Id"] != f"session-{self.session}":
            return reply(request, 404)
        if method == "notifications/cancelled":
            self.cancelled.set()
        if "id" not in message or method is None:
            return reply(request, 202)
        if method == "tools/list":
            at = int(message["params"].get("cursor", 0))
            more = {"nextCursor": str(at + 1)} if at + 1 < len(self.tools) else {}
            return reply_json(request, message, {"tools": self.tools[at:at + 1], **more})
        return self.call(request, message)

    def call(self, request, message):
        name, given = message["params"]["name"], message["params"]["arguments"]
        if name == "echo":
            return reply_json(request, message, text(f"{HTML} {given['word']}"))
        if name == "fail":
            return reply_json(request, message, {**text("no disk"), "isError": True})
        if name == "count":
            self.calls += 1
            return reply_events(request, [{"jsonrpc": "2.0", "id": "p", "method": "ping"}, answer_to(message, text(str(self.calls)))])
        token = message["params"]["_meta"]["progressToken"]
        reply_events(request, [{"jsonrpc": "2.0", "method": "notifications/progress",
                                "params": {"progressToken": token, "progress": 1, "total": 9, "message": "working"}}], lambda: self.cancelled.wait(60))

    def close(self):
        self.http.shutdown()
        self.http.server_close()
        self.thread.join()


def text(words):
    return {"content": [{"type": "text", "text": words}]}


def answer_to(message, result):
    return {"jsonrpc": "2.0", "id": message["id"], "result": result}


def reply(request, status, body=b"", headers=()):
    request.send_response(status)
    for name, value in dict(headers).items():
        request.send_header(name, value)
    if status != 204:
        request.send_header("Content-Length", str(len(body)))
    request.end_headers()
    request.wfile.write(body)


def reply_json(request, message, result, headers=()):
    reply(request, 200, json.dumps(answer_to(message, result)).encode(), {"Content-Type": "application/json", **dict(headers)})


def reply_events(request, messages, wait=lambda: None):
    request.send_response(200)
    request.send_header("Content-Type", "text/event-stream")
    request.send_header("Connection", "close")
    request.end_headers()
    for message in messages:
        request.wfile.write(f"data: {json.dumps(message)}\n\n".encode())
    request.wfile.flush()
    wait()
    request.close_connection = True
