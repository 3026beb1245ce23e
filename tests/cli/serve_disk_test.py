"""skald serve: the prefix cache on disk, and slots that are saved and restored."""
import concurrent.futures
import os
import pathlib
import tempfile
import time

import support
from server import Server

BODY = {"prompt": [5 + i % 300 for i in range(300)], "max_tokens": 8, "temperature": 0, "ignore_eos": True}


class Disk(support.CliTest):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.dir = pathlib.Path(self.folder.name) / "cache"

    def tearDown(self):
        self.folder.cleanup()

    def good(self, server, path, body, headers=None):
        reply = server.post(path, body, headers)
        self.assertEqual(reply.status, 200, reply.body)
        return reply.json

    def answer(self, server, **more):
        """Its text, and how many of its tokens the cache had."""
        reply = self.good(server, "/v1/completions", {**BODY, **more})
        return reply["choices"][0]["text"], reply["usage"]["prompt_tokens_details"]["cached_tokens"]

    def metric(self, server, name):
        return next(float(line.split()[-1]) for line in server.get("/metrics").body.decode().splitlines() if line.startswith(name + " "))

    def wait_for_pages(self, server, n):
        end = time.monotonic() + 60
        while self.metric(server, "skald_disk_pages") < n:
            self.assertLess(time.monotonic(), end, "nothing is written")
            time.sleep(0.02)

    def test_prompts_are_found_after_a_kill(self):
        flags = ("--prefix-cache-dir", self.dir, "--metrics")
        with Server(*flags) as server:
            text, cached = self.answer(server)
            self.assertEqual(cached, 0)
            self.wait_for_pages(server, 4)
            server.process.kill()
            server.process.wait()
        self.assertEqual(os.stat(self.dir).st_mode & 0o777, 0o700)
        for file in self.dir.iterdir():
            self.assertEqual(file.stat().st_mode & 0o777, 0o600)
            self.assertNotIn(b"embedded", file.name.encode())
        with Server(*flags) as server:
            self.assertEqual(self.answer(server, cache_salt="other"), (text, 0))
            self.assertEqual(self.answer(server), (text, 256))
            self.assertEqual(self.metric(server, 'skald_prompt_tokens_cached_total{tier="disk"}'), 256)
            self.assertEqual(self.metric(server, "skald_disk_pages_read_total"), 4)
            kv = server.get("/props").json["kv"]
            self.assertGreaterEqual(kv["disk_pages"], 4)
            self.assertEqual(kv["disk_bytes"], sum(f.stat().st_size for f in self.dir.iterdir()))
        with Server(*flags, "-ctk", "q8_0") as server:
            self.assertEqual(self.answer(server)[1], 0, "keys of another type")

    def test_damaged_pages_are_computed_again(self):
        flags = ("--prefix-cache-dir", self.dir, "--metrics")
        with Server(*flags) as server:
            text, _ = self.answer(server)
            self.wait_for_pages(server, 4)
        for file in self.dir.iterdir():
            file.write_bytes(bytes(file.stat().st_size))
        with Server(*flags) as server:
            self.assertEqual(self.answer(server), (text, 0))
            self.assertGreater(self.metric(server, "skald_disk_corrupt_pages_total"), 0)
            self.wait_for_pages(server, 4)
            self.assertEqual(server.stop(), 0)
        with Server(*flags) as server:
            self.assertEqual(self.answer(server), (text, 256))

    def test_servers_share_a_folder(self):
        flags = ("--prefix-cache-dir", self.dir, "--metrics")
        prompts = [{"prompt": [5 + (i * k) % 300 for i in range(300)]} for k in (1, 7, 11)]
        with Server() as cold:
            texts = [self.answer(cold, **prompt)[0] for prompt in prompts]
        with Server(*flags) as one, Server(*flags) as other:
            self.assertEqual(self.answer(one, **prompts[0]), (texts[0], 0))
            self.assertEqual(self.answer(other, **prompts[1]), (texts[1], 0))
            self.until(lambda: len(self.pages()) >= 8)
            self.assertEqual(self.answer(one, **prompts[1]), (texts[1], 256))
            self.assertEqual(self.answer(other, **prompts[0]), (texts[0], 256))
            self.assertEqual([self.metric(server, "skald_disk_pages_read_total") for server in (one, other)], [4, 4])
            one.process.kill()
            one.process.wait()
            self.assertEqual(self.answer(other, **prompts[2]), (texts[2], 0))
            self.until(lambda: len(self.pages()) >= 12)
            for file in self.pages():  # what another one lost is lost for all, and made anew
                file.unlink()
            with Server(*flags) as new:
                self.assertEqual(self.answer(new, **prompts[0]), (texts[0], 0))
                self.until(lambda: len(self.pages()) >= 4)
                self.assertEqual(self.metric(new, "skald_disk_corrupt_pages_total"), 0)

    def test_servers_that_share_a_folder_keep_its_size(self):
        prompts = [{"prompt": [5 + (i * k + 3) % 300 for i in range(200)]} for k in range(1, 31)]
        with Server() as cold:
            texts = [self.answer(cold, **prompt)[0] for prompt in prompts]
        with Server("--prefix-cache-dir", self.dir) as server:
            self.answer(server, **prompts[0])
            self.until(lambda: len(self.pages()) >= 3)
        page = self.pages()[0].stat().st_size
        most = 30 * page  # of 90
        flags = ("--prefix-cache-dir", self.dir, "--prefix-cache-size", most, "--metrics", "-c", "512", "-np", "2")  # memory keeps few prompts
        with Server(*flags) as one, Server(*flags) as other, concurrent.futures.ThreadPoolExecutor(2) as pool:
            def ask(server, order):
                return [(k, self.answer(server, **prompts[k])[0]) for k in order]
            orders = [[*range(0, 30, 2), *range(30)], [*range(1, 30, 2), *reversed(range(30))]]
            for answers in pool.map(ask, (one, other), orders):
                for k, text in answers:
                    self.assertEqual(text, texts[k], k)
            written, read, corrupt = (sum(self.metric(server, f"skald_disk_{name}_total") for server in (one, other)) for name in ("pages_written", "pages_read", "corrupt_pages"))
            self.assertGreater(written, 90)
            self.assertGreater(read, 0)
            self.assertEqual(corrupt, 0)
            self.until(lambda: sum(f.stat().st_size for f in self.pages()) <= most + 2 * (most / 32 + page))

    def pages(self):
        return list(self.dir.glob("*.page"))

    def test_flags_that_do_not_go_together_are_named(self):
        for flag in ("--prefix-cache-dir", "--slot-save-path"):
            self.fails(2, "serve", flag, self.dir, "--no-prefix-cache", says=[flag, "--no-prefix-cache"])
        self.fails(2, "serve", "--prefix-cache-size", "many", says=["--prefix-cache-size"])
        self.fails(2, "serve", "--state-cache-size", "-1", says=["--state-cache-size"])
        self.fails(1, "serve", "--port", 0, "--prefix-cache-dir", "/proc/none", says=["/proc/none"])

    def test_slots_are_saved_and_restored(self):
        keys = ("--api-key", "one", "--api-key", "two", "--slot-save-path", self.dir)
        one, two = ({"authorization": "Bearer " + key} for key in ("one", "two"))
        body = {**BODY, "cache_salt": "s"}
        name = {"filename": "a.bin"}
        self.dir.mkdir()
        abandoned, begun = (self.dir / f"{name}.0123456789abcdef.unfinished" for name in ("old.bin", "new.bin"))
        for file in (abandoned, begun):
            file.write_bytes(b"half")
        os.utime(abandoned, (0, 0))
        with Server(*keys) as server:
            want = self.good(server, "/v1/completions", body, one)["choices"][0]["text"]
            slot = next(s for s in server.ask("GET", "/slots", headers=one).json if s["n_prompt_tokens"] == 300)
            path = f"/slots/{slot['id']}"
            saved = self.good(server, path + "?action=save", name, one)
            self.assertEqual((saved["n_saved"], saved["n_written"]), (308, (self.dir / "a.bin").stat().st_size))
            self.assertEqual((self.dir / "a.bin").stat().st_mode & 0o777, 0o600)
            self.assertEqual((abandoned.exists(), begun.exists()), (False, True))
            self.assertEqual(server.post(path + "?action=save", name, two).status, 404)
            self.assertEqual(server.post(path + "?action=erase", {}, two).status, 404)
            for bad in ("../a", "/a", "a/b", ".a", "", "x" * 129, 5, None):
                for action in ("save", "restore"):
                    reply = server.post(f"{path}?action={action}", {"filename": bad}, one)
                    self.assertEqual((reply.status, reply.json["error"]["param"]), (400, "filename"), bad)
            for bad in ("?action=dance", ""):
                self.assertEqual(server.post(path + bad, name, one).json["error"]["param"], "action")
            self.assertEqual(server.post("/slots/99?action=save", name, one).status, 404)
            self.assertEqual(server.post("/slots/x?action=save", name, one).status, 404)
            self.assertEqual(self.good(server, path + "?action=erase", {}, one)["n_erased"], 308)
            self.assertEqual(self.good(server, "/v1/completions", body, one)["usage"]["prompt_tokens_details"]["cached_tokens"], 0)
        with Server(*keys) as server:
            self.assertEqual(server.post("/slots/0?action=restore", name, two).status, 400)
            self.assertEqual(server.post("/slots/0?action=restore", {"filename": "none"}, one).status, 404)
            restored = self.good(server, "/slots/0?action=restore", name, one)
            self.assertEqual((restored["n_restored"], restored["n_read"]), (saved["n_saved"], saved["n_written"]))
            reply = self.good(server, "/v1/completions", body, one)
            self.assertEqual((reply["choices"][0]["text"], reply["usage"]["prompt_tokens_details"]["cached_tokens"]), (want, 256))
        with Server() as server:
            self.assertEqual(server.post("/slots/0?action=save", name).status, 501)


support.main()
