"""POST /pdf-text of `skald serve`: by the machine's pdftotext, or by a program that a test puts in its place."""
import os
import shutil
import socket
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

from pdf_file import pdf_of
from server import Server

PDF = pdf_of("Grüße, Skald")


class ServePdfTest(unittest.TestCase):
    def serve(self, *flags, program=None):
        """Starts a server; `program`: the lines of a shell script that is its only pdftotext; '': it has none."""
        if program is None:
            return self.enterContext(Server(*flags))
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        if program:
            (folder / "pdftotext").write_text(f"#!/bin/sh\n{program}\n")
            (folder / "pdftotext").chmod(0o755)
        with mock.patch.dict(os.environ, PATH=str(folder)):
            return self.enterContext(Server(*flags))

    def failure(self, server, body, status):
        reply = server.post("/pdf-text", body)
        self.assertEqual(reply.status, status, reply.body)
        return reply.json["error"]["message"]

    @unittest.skipUnless(shutil.which("pdftotext"), "no pdftotext")
    def test_a_pdf_becomes_its_text(self):
        server = self.serve()
        reply = server.post("/pdf-text", PDF)
        self.assertEqual((reply.status, reply.json["text"].strip()), (200, "Grüße, Skald"))
        for damaged in (b"%PDF-1.4\n", PDF[:60], b"%PDF-" + os.urandom(100_000)):
            self.assertIn("damaged", self.failure(server, damaged, 400))
        self.assertEqual(server.post("/pdf-text", PDF).status, 200)

    def test_what_is_no_pdf_starts_no_program(self):
        server = self.serve(program="exit 0")
        for body in (b"", b"text", b" " * 2000 + PDF):
            self.assertEqual(self.failure(server, body, 400), "the body is no PDF")

    def test_a_machine_without_pdftotext_is_told(self):
        self.assertIn("finds no pdftotext", self.failure(self.serve(program=""), PDF, 501))

    def test_the_key_is_asked_for(self):
        server = self.serve("--api-key", "secret", program="echo text")
        self.assertIn("key", self.failure(server, PDF, 401))
        reply = server.post("/pdf-text", PDF, {"Authorization": "Bearer secret"})
        self.assertEqual((reply.status, reply.json), (200, {"text": "text\n"}))

    def test_faults_of_the_program_are_told(self):
        self.assertIn("does not permit", self.failure(self.serve(program="exit 3"), PDF, 400))
        self.assertIn("damaged", self.failure(self.serve(program="kill -9 $$"), PDF, 400))
        self.assertIn("too much text", self.failure(self.serve(program="while :; do echo 0123456789; done"), PDF, 400))
        server = self.serve(program=r"printf '\377'")
        self.assertEqual(server.post("/pdf-text", PDF).json, {"text": "\ufffd"})

    def test_a_client_that_leaves_ends_the_program(self):
        at = Path(self.enterContext(tempfile.TemporaryDirectory())) / "at"
        # The program says that it lives: limits keep it from writing files.
        server = self.serve("--metrics", program=f"/bin/mkdir {at}; exec /bin/sleep 60")
        with socket.create_connection(("127.0.0.1", server.port)) as client:
            client.sendall(b"POST /pdf-text HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n" % len(PDF) + PDF)
            self.until(at.exists)
        self.until(lambda: b"skald_requests_cancelled_total 1" in server.get("/metrics").body)
        self.until(lambda: not children(server.process.pid))  # it is ended after the request is counted

    def until(self, holds):
        end = time.monotonic() + 10
        while not holds():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)


def children(pid):
    return [int(child) for task in Path(f"/proc/{pid}/task").iterdir() for child in (task / "children").read_text().split()]


if __name__ == "__main__":
    unittest.main()
