"""A server that speaks enough of S3 for a test: a bucket in memory, and signatures (version 4) that are checked."""
import hashlib
import hmac
import http.server
import threading
import time
import urllib.parse

ID, SECRET, REGION, BUCKET = "an-id", "a-secret", "here", "pages"


def digest(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def signature(handler, body):
    """What the request's signature has to be, by its own list of signed headers."""
    said = handler.headers["authorization"]
    signed = said.split("SignedHeaders=")[1].split(",")[0]
    scope = said.split("Credential=")[1].split(",")[0].split("/", 1)[1]
    path, _, query = handler.path.partition("?")
    words = sorted(urllib.parse.parse_qsl(query, keep_blank_values=True))
    canonical = "\n".join([handler.command, path, urllib.parse.urlencode(words),
                           *(f"{name}:{handler.headers[name].strip()}" for name in signed.split(";")), "", signed,
                           hashlib.sha256(body).hexdigest()])
    text = "\n".join(["AWS4-HMAC-SHA256", handler.headers["x-amz-date"], scope, hashlib.sha256(canonical.encode()).hexdigest()])
    key = ("AWS4" + SECRET).encode()
    for word in scope.split("/"):
        key = digest(key, word)
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, body=b""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def refuse(self, status, code, message=""):
        self.answer(status, f"<?xml version=\"1.0\"?><Error><Code>{code}</Code><Message>{message}</Message></Error>".encode())

    def serve(self):
        s3 = self.server.s3
        body = self.rfile.read(int(self.headers["content-length"] or 0))
        s3.requests.append(self.command)
        time.sleep(s3.delay)
        said = self.headers["authorization"] or ""
        if f"Credential={ID}/" not in said or f"/{REGION}/s3/aws4_request" not in said:
            return self.refuse(403, "InvalidAccessKeyId", "who are you")
        if self.headers["x-amz-content-sha256"] != hashlib.sha256(body).hexdigest() or "x-amz-content-sha256" not in said:
            return self.refuse(400, "XAmzContentSHA256Mismatch")
        if said.split("Signature=")[1] != signature(self, body):
            return self.refuse(403, "SignatureDoesNotMatch", "The request signature we calculated does not match")
        _, bucket, name = self.path.split("/", 2)
        if bucket != BUCKET:
            return self.refuse(404, "NoSuchBucket")
        if s3.full and self.command == "PUT":
            return self.refuse(503, "SlowDown", "Please reduce your request rate.")
        if self.command == "PUT":
            s3.objects[name] = body
            for oldest in list(s3.objects)[:-s3.most]:
                s3.objects.pop(oldest, None)
                s3.expired += 1
            return self.answer(200)
        if self.command == "DELETE":
            s3.objects.pop(name, None)
            return self.answer(204)
        if name not in s3.objects:
            return self.refuse(404, "NoSuchKey")
        self.answer(200, s3.objects[name])

    do_GET = do_HEAD = do_PUT = do_DELETE = serve


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64  # a connection that is turned away comes again after a second

    def handle_error(self, *_):
        """A client may go away at any time."""


class S3:
    """objects: by name; delay: seconds before each answer; full: refuse writes; most: objects, the oldest of which expire."""

    def __init__(self):
        self.objects, self.requests, self.delay, self.full = {}, [], 0, False
        self.most, self.expired = 10**6, 0
        self.server = Server(("127.0.0.1", 0), Handler)
        self.server.s3 = self
        self.endpoint = f"http://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,))
        self.thread.start()

    def url(self, bucket=BUCKET, prefix="/of/skald"):
        return f"s3://{bucket}{prefix}?endpoint={self.endpoint}&region={REGION}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()
