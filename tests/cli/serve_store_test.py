"""skald serve: the prefix cache on a server, which a fleet shares: Redis, and S3. It may be slow, hang, die and come again."""
import json
import os
import signal
import socket
import subprocess
import time
import unittest
from unittest import mock

import s3_server
import support
from redis_server import REDIS, Redis
from server import Server

PROMPT = [5 + i % 300 for i in range(300)]
WAIT = 500  # milliseconds


class Fleet(support.CliTest):
    def answer(self, server, prompt=PROMPT, n=8):
        """Its text, and how many of its tokens the cache had."""
        reply = server.post("/v1/completions", {"prompt": prompt, "max_tokens": n, "temperature": 0, "ignore_eos": True})
        self.assertEqual(reply.status, 200, reply.body)
        return reply.json["choices"][0]["text"], reply.json["usage"]["prompt_tokens_details"]["cached_tokens"]

    def timed(self, server, prompt):
        begin = time.monotonic()
        text, cached = self.answer(server, prompt)
        return text, cached, time.monotonic() - begin

    def cold(self, *prompts):
        with Server() as server:
            return [self.answer(server, prompt)[0] for prompt in prompts]

    def store(self, server):
        return server.get("/props").json["kv"]["store"]

    def wait_for(self, server, name, least):
        self.until(lambda: server.metric(name) >= least)

    def wait_until_up(self, server, up=True):
        self.until(lambda: self.store(server)["up"] == up)


@unittest.skipUnless(REDIS, "there is no redis-server")
class RedisFleet(Fleet):
    def redis(self, *flags):
        redis = Redis(self.new_folder(), *flags).start()
        self.addCleanup(redis.close)
        return redis

    def flags(self, redis, *more):
        return ("--prefix-cache-url", f"unix://{redis.socket}", "--metrics", "--prefix-cache-wait", WAIT, *more)

    def test_servers_share_a_redis(self):
        prompts = [[5 + (i * k) % 300 for i in range(300)] for k in (1, 7)]
        texts = self.cold(*prompts)
        redis = self.redis()
        with Server(*self.flags(redis)) as one, Server(*self.flags(redis)) as other:
            for server in (one, other):
                self.wait_until_up(server)
            self.assertEqual(self.answer(one, prompts[0]), (texts[0], 0))
            self.assertEqual(self.answer(other, prompts[1]), (texts[1], 0))
            self.until(lambda: redis.size() >= 8)
            self.assertEqual(self.answer(one, prompts[1]), (texts[1], 256))
            self.assertEqual(self.answer(other, prompts[0]), (texts[0], 256))
            self.assertEqual([server.metric("skald_disk_pages_read_total") for server in (one, other)], [4, 4])
            self.assertEqual(one.metric("skald_prefix_store_hits_total"), 1)
            self.assertEqual(one.metric("skald_prefix_store_misses_total"), 1)
            self.assertEqual(one.metric("skald_prefix_store_errors_total"), 0)
            self.assertEqual(self.store(one), {"kind": "redis", "where": f"unix://{redis.socket}?db=0", "up": True})
        self.assertIn(b"skald:", redis.command("RANDOMKEY"))

    def test_a_damaged_page_is_computed_again(self):
        text, = self.cold(PROMPT)
        redis = self.redis()
        with Server(*self.flags(redis)) as server:
            self.wait_until_up(server)
            self.answer(server)
            self.until(lambda: redis.size() >= 4)
        for name in redis.command("KEYS", "*").split(b"\r\n")[2::2]:
            redis.command("SETRANGE", name, "3000", "damage")
        with Server(*self.flags(redis)) as server:
            self.wait_until_up(server)
            self.assertEqual(self.answer(server), (text, 0))
            self.assertGreater(server.metric("skald_disk_corrupt_pages_total"), 0)
            self.wait_for(server, "skald_disk_pages_written_total", 4)

    def test_a_redis_that_dies_under_load_costs_hits_alone(self):
        prompts = [[5 + (i * k) % 300 for i in range(200)] for k in range(1, 13)]
        texts = self.cold(*prompts)
        redis = self.redis()
        with Server(*self.flags(redis, "-c", "512", "-np", "2")) as server:  # memory keeps few prompts
            self.wait_until_up(server)
            for k, prompt in enumerate(prompts):
                if k == 6:
                    redis.kill()
                self.assertEqual(self.answer(server, prompt)[0], texts[k], k)
            self.wait_until_up(server, False)
            for k, prompt in enumerate(prompts):
                self.assertEqual(self.answer(server, prompt)[0], texts[k], k)
            redis.start()
            self.wait_until_up(server)
            self.assertEqual(self.answer(server, prompts[0])[0], texts[0])
            self.until(lambda: redis.size() >= 3)
            self.assertGreater(server.metric("skald_prefix_store_errors_total"), 0)
            self.assertEqual(server.stop(), 0)
            self.assertIn("it answers again", server.errors())

    def test_a_redis_that_hangs_costs_the_bound_once(self):
        prompts = [[5 + (i * k) % 300 for i in range(200)] for k in range(1, 6)]
        texts = self.cold(*prompts)
        redis = self.redis()
        self.addCleanup(redis.kill, signal.SIGKILL)
        with Server(*self.flags(redis)) as server:
            self.wait_until_up(server)
            usual = max(self.timed(server, prompt)[2] for prompt in prompts[:2])
            self.wait_for(server, "skald_disk_pages_written_total", 6)
            redis.kill(signal.SIGSTOP)
            times = []
            for k in (2, 3, 4):
                text, _, seconds = self.timed(server, prompts[k])
                self.assertEqual(text, texts[k])
                times.append(seconds)
            slack = 3 * usual + 1
            self.assertGreater(max(times), WAIT / 1000, "it was never waited for")
            self.assertLess(times[0], WAIT / 1000 + slack)
            self.assertLess(sum(times), WAIT / 1000 + 3 * slack)
            self.assertFalse(self.store(server)["up"])
            redis.process.send_signal(signal.SIGCONT)
            self.wait_until_up(server)
            self.until(lambda: redis.size() >= 3 * 3)

    def test_a_redis_that_is_not_there_at_the_start_is_a_warning(self):
        text, = self.cold(PROMPT)
        redis = Redis(self.new_folder())
        self.addCleanup(redis.close)
        with Server(*self.flags(redis)) as server:
            self.assertEqual(self.answer(server), (text, 0))
            self.assertFalse(self.store(server)["up"])
            redis.start()
            self.wait_until_up(server)
            self.assertEqual(self.answer(server, PROMPT[:200])[1], 192)
            self.until(lambda: redis.size() >= 3)
            self.assertEqual(server.errors().count("prompts are computed until it answers again"), 1)

    def test_a_full_redis_gets_no_more_pages(self):
        redis = self.redis()
        used = int(next(line for line in redis.command("INFO", "memory").split(b"\r\n") if line.startswith(b"used_memory:"))[12:])
        with Server(*self.flags(redis, "--prefix-cache-size", used + 2000)) as server:
            self.wait_until_up(server)
            self.answer(server)
            self.until(lambda: "it is full" in server.errors())
            self.assertEqual(redis.size(), 0)
            self.assertTrue(self.store(server)["up"])

    def test_passwords_are_shown_nowhere(self):
        redis = self.redis("--requirepass", "secret")
        file = self.new_folder() / "password"
        with Server(*self.flags(redis)) as server:
            self.until(lambda: "NOAUTH" in server.errors())
        for password, says in (("secret", "ready"), ("another-secret", "WRONGPASS")):
            file.write_text(password + "\n")
            with Server(*self.flags(redis, "--prefix-cache-password-file", file)) as server:
                self.wait_until_up(server, password == "secret")
                self.answer(server)
                self.until(lambda: says in server.errors() and (password != "secret" or redis.size() >= 4))
                self.assertNotIn("secret", server.get("/props").body.decode() + server.get("/metrics").body.decode() + server.errors())

    def test_a_password_on_the_command_line_is_overwritten(self):
        with Server("--prefix-cache-url", "redis://user:a-secret@127.0.0.1:1/0") as server:
            with open(f"/proc/{server.process.pid}/cmdline", "rb") as file:
                line = file.read()
            self.assertIn(b"redis://user:xxxxxxxx@127.0.0.1:1/0", line)
            self.assertNotIn(b"a-secret", line)
            self.until(lambda: "redis://127.0.0.1:1/0" in server.errors())
            self.assertNotIn("a-secret", server.errors() + server.get("/props").body.decode())

    def test_tls_is_checked(self):
        folder = self.new_folder()
        made = subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", folder / "key.pem", "-out", folder / "cert.pem",
                               "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"], capture_output=True)
        if made.returncode != 0:
            self.skipTest("there is no openssl")
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        redis = Redis(self.new_folder(), "--tls-port", port, "--tls-cert-file", folder / "cert.pem", "--tls-key-file", folder / "key.pem",
                      "--tls-auth-clients", "no")
        self.addCleanup(redis.close)
        try:
            redis.start()
        except AssertionError:
            self.skipTest("this redis-server has no TLS")
        flags = ("--prefix-cache-url", f"rediss://127.0.0.1:{port}")
        with Server(*flags) as server:
            self.until(lambda: "certificate" in server.errors())
        with mock.patch.dict(os.environ, {"SSL_CERT_FILE": str(folder / "cert.pem")}):
            with Server(*flags) as server:
                self.wait_until_up(server)
                text, _ = self.answer(server)
                self.until(lambda: redis.size() >= 4)
            with Server(*flags) as server:
                self.wait_until_up(server)
                self.assertEqual(self.answer(server), (text, 256))

    def test_doctor_looks_at_it(self):
        redis = self.redis()
        quick = ("doctor", "--roofline-seconds", "0.01", "--json", "--prefix-cache-url", f"unix://{redis.socket}")
        got = json.loads(self.ok(*quick))
        self.assertEqual((got["store"]["kind"], got["store"]["error"], got["store"]["bounded"]), ("redis", None, True))
        self.assertIn("names expire", got["store"]["limit"])
        redis.command("CONFIG", "SET", "maxmemory", "100mb")
        redis.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
        self.assertIn("100.00 MiB, by allkeys-lru", json.loads(self.ok(*quick))["store"]["limit"])
        redis.kill()
        got = json.loads(self.ok(*quick))
        self.assertIn("connect", got["store"]["error"])
        self.assertIn("store", [a["subject"] for a in got["advice"]])


class S3Fleet(Fleet):
    def setUp(self):
        self.s3 = s3_server.S3()
        self.addCleanup(self.s3.close)
        keys = {"AWS_ACCESS_KEY_ID": s3_server.ID, "AWS_SECRET_ACCESS_KEY": s3_server.SECRET}
        patch = mock.patch.dict(os.environ, keys)
        patch.start()
        self.addCleanup(patch.stop)
        for name in ("AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"):
            os.environ.pop(name, None)
        self.flags = ("--prefix-cache-url", self.s3.url(), "--metrics", "--prefix-cache-wait", WAIT)

    def test_servers_share_a_bucket(self):
        text, = self.cold(PROMPT)
        os.environ["AWS_SESSION_TOKEN"] = "of-a-session"
        with Server(*self.flags) as one, Server(*self.flags) as other:
            for server in (one, other):
                self.wait_until_up(server)
            self.assertEqual(self.answer(one), (text, 0))
            self.until(lambda: len(self.s3.objects) >= 4)
            self.assertTrue(all(name.startswith("of/skald/") for name in self.s3.objects))
            self.assertEqual(self.answer(other), (text, 256))
            self.assertEqual(other.metric("skald_prefix_store_hits_total"), 1)
            self.assertEqual(self.store(other)["kind"], "s3")

    def test_a_damaged_page_is_computed_again(self):
        with Server(*self.flags) as server:
            self.wait_until_up(server)
            text, _ = self.answer(server)
            self.until(lambda: len(self.s3.objects) >= 4)
        self.s3.objects = {name: body[:-1] + bytes([body[-1] ^ 1]) for name, body in self.s3.objects.items()}
        with Server(*self.flags) as server:
            self.wait_until_up(server)
            self.assertEqual(self.answer(server), (text, 0))
            self.assertGreater(server.metric("skald_disk_corrupt_pages_total"), 0)
            self.wait_for(server, "skald_disk_pages_written_total", 4)

    def test_a_wrong_key_is_a_warning_by_name(self):
        for name, value, says in (("AWS_SECRET_ACCESS_KEY", "wrong-secret", "SignatureDoesNotMatch"), ("AWS_ACCESS_KEY_ID", "nobody", "InvalidAccessKeyId")):
            with mock.patch.dict(os.environ, {name: value}), Server(*self.flags) as server:
                self.until(lambda: says in server.errors())
                self.assertEqual(self.answer(server)[1], 0)
                self.assertFalse(self.store(server)["up"])
                self.assertNotIn("wrong-secret", server.errors())

    def test_a_bucket_that_is_not_there_is_a_warning_by_name(self):
        with Server("--prefix-cache-url", self.s3.url(bucket="none")) as server:
            self.until(lambda: "NoSuchBucket" in server.errors())

    def test_a_slow_bucket_costs_the_bound_once(self):
        prompts = [[5 + (i * k) % 300 for i in range(200)] for k in range(1, 5)]
        texts = self.cold(*prompts)
        with Server(*self.flags) as server:
            self.wait_until_up(server)
            self.s3.delay = 3
            times = []
            for k, prompt in enumerate(prompts):
                text, _, seconds = self.timed(server, prompt)
                self.assertEqual(text, texts[k])
                times.append(seconds)
            self.assertGreater(times[0], WAIT / 1000)
            self.assertLess(sum(times), WAIT / 1000 + 6)
            self.s3.delay = 0
            self.wait_until_up(server)

    def test_a_bucket_that_refuses_writes_is_left_alone(self):
        self.s3.full = True
        with Server(*self.flags) as server:
            self.wait_until_up(server)
            text, _ = self.answer(server)
            self.until(lambda: "SlowDown" in server.errors())
            self.s3.full = False
            self.wait_until_up(server)
            self.assertEqual(self.answer(server)[0], text)

    def test_doctor_says_that_nobody_bounds_it(self):
        got = json.loads(self.ok("doctor", "--roofline-seconds", "0.01", "--json", "--prefix-cache-url", self.s3.url()))
        self.assertEqual((got["store"]["kind"], got["store"]["bounded"]), ("s3", False))
        self.assertTrue(any("expires objects" in a["remedy"] for a in got["advice"]), got["advice"])


class Flags(support.CliTest):
    def test_wrong_ones_are_named_without_secrets(self):
        def refused(*flags, says):
            r = support.skald("serve", *flags, HOME="/nowhere")
            self.assertEqual(r.returncode, 2, r.stderr)
            for text in says:
                self.assertIn(text, r.stderr.decode())
            self.assertNotIn("secret", r.stderr.decode())
        refused("--prefix-cache-url", "http://me:secret@host", says=["--prefix-cache-url", "redis://", "s3://"])
        refused("--prefix-cache-url", "redis://me:secret@host?size=1", says=["--prefix-cache-url", "size"])
        refused("--prefix-cache-url", "redis://host", "--prefix-cache-dir", "x", says=["--prefix-cache-url", "--prefix-cache-dir"])
        refused("--prefix-cache-url", "redis://host", "--no-prefix-cache", says=["--prefix-cache-url", "--no-prefix-cache"])
        refused("--prefix-cache-password-file", "x", says=["--prefix-cache-password-file", "--prefix-cache-url"])
        refused("--prefix-cache-url", "redis://host", "--prefix-cache-password-file", "/dev/null", says=["--prefix-cache-password-file", "password"])
        refused("--prefix-cache-wait", "0", says=["--prefix-cache-wait"])
        keys = {name: "" for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")}
        with mock.patch.dict(os.environ, keys):
            refused("--prefix-cache-url", "s3://bucket", says=["AWS_ACCESS_KEY_ID"])
            refused("--prefix-cache-url", "s3://bucket", "--prefix-cache-size", "1G", says=["--prefix-cache-size", "lifecycle"])


support.main()
