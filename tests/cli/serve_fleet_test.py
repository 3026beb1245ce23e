"""skald serve: two servers and one store of pages. Whatever is evicted, damaged or killed, each answer is as one server gives alone and cold.

SKALD_REQUESTS: of each store, for a longer run."""
import collections
import concurrent.futures
import http.client
import os
import random
import threading
import time
import unittest
from unittest import mock

import s3_server
import support
from redis_server import REDIS, Redis
from server import Server

REQUESTS = int(os.environ.get("SKALD_REQUESTS", "120" if support.SANITIZED else "240"))
KEYS = ("one", "two")
PAGES = 40  # that the store has room for
HEAD = {"kind": 8, "length": 16, "part": 20, "zeros": 24, "key": 56, "sum": 88, "tokens": 344}  # of a record: where each field ends
COUNTERS = {"hits": "skald_prefix_store_hits_total", "read": "skald_disk_pages_read_total", "written": "skald_disk_pages_written_total",
            "corrupt": "skald_disk_corrupt_pages_total", "removed": 'skald_prefix_evictions_total{tier="disk"}', "errors": "skald_prefix_store_errors_total"}


def flipped(record, bit):
    out = bytearray(record)
    out[bit // 8] ^= 1 << bit % 8
    return bytes(out)


def bearer(key=KEYS[0]):
    return {"authorization": "Bearer " + key}


def asked(server, prompt, key=KEYS[0], salt=""):
    """Its text, its tokens with their logits' bits, and how many tokens of the prompt the cache had."""
    body = {"prompt": prompt, "max_tokens": 8, "temperature": 0, "ignore_eos": True, "logprobs": 1, "cache_salt": salt}
    reply = server.post("/v1/completions", body, bearer(key))
    assert reply.status == 200, reply.body
    choice = reply.json["choices"][0]
    return (choice["text"], choice["logprobs"]["tokens"], choice["logprobs"]["token_logprobs"]), reply.json["usage"]["prompt_tokens_details"]["cached_tokens"]


def counters(server):
    lines = dict(line.rsplit(" ", 1) for line in server.get("/metrics", headers=bearer()).body.decode().splitlines() if not line.startswith("#"))
    return collections.Counter({name: int(float(lines[metric])) for name, metric in COUNTERS.items()})


class Place:
    """A server of the fleet, killed and started again at any time."""

    def __init__(self, flags):
        self.flags, self.lock, self.before, self.server = flags, threading.Lock(), collections.Counter(), Server(*flags)
        self.server.dies = False

    def ask(self, *what):
        while True:
            with self.lock:
                server = self.server
            try:
                return asked(server, *what)
            except (OSError, http.client.HTTPException) as e:
                if not server.dies:
                    raise AssertionError(f"{e!r} of a server that nobody killed, {server.process.poll()}: {server.errors()}") from e

    def restart(self):
        with self.lock:
            self.before += counters(self.server)
            self.server.dies = True
            self.server.__exit__()  # kills it
            self.server = Server(*self.flags)
            self.server.dies = False

    def counters(self):
        return self.before + counters(self.server)

    def close(self):
        self.server.__exit__()


class FolderStore:
    name = "folder"

    def __init__(self, test):
        self.dir = test.new_folder() / "cache"
        self.flags = ("--prefix-cache-dir", self.dir)

    def bound(self, pages):
        self.flags += ("--prefix-cache-size", pages * max(file.stat().st_size for file in self.dir.iterdir()))

    def names(self):
        return [file.name for file in self.dir.iterdir() if not file.name.endswith(".unfinished")]

    def get(self, name):
        try:
            return (self.dir / name).read_bytes()
        except FileNotFoundError:
            return None

    def change(self, name, record):
        """In place, and the file keeps its time: nothing shows but the bits."""
        try:
            with open(self.dir / name, "r+b") as file:
                at = os.fstat(file.fileno())
                file.write(record)
                file.truncate()
                file.flush()
                os.utime(file.fileno(), ns=(at.st_atime_ns, at.st_mtime_ns))
        except FileNotFoundError:
            pass

    def evictions(self, sums):
        return sums["removed"]

    def strike(self, _):
        """A folder has no server that could die."""


class RedisStore:
    name = "Redis"

    def __init__(self, test):
        self.redis = Redis(test.new_folder()).start()
        test.addCleanup(self.redis.close)
        self.flags = ("--prefix-cache-url", f"unix://{self.redis.socket}")
        self.evicted = 0

    def bound(self, pages):
        room = self.redis.info("used_memory") + pages * len(self.get(self.names()[0]))
        self.redis.flags += ["--maxmemory", str(room), "--maxmemory-policy", "allkeys-lru"]
        self.strike(0)

    def names(self):
        return [name for name in self.redis.command("KEYS", "*").split(b"\r\n")[2::2] if name.endswith(b".page")]

    def get(self, name):
        return self.redis.get(name)

    def change(self, name, record):
        self.redis.command("SET", name, record, "XX", "KEEPTTL")

    def evictions(self, _):
        return self.evicted + self.redis.info("evicted_keys")

    def strike(self, seconds):
        """Dies, with all that it has, and comes again."""
        self.evicted += self.redis.info("evicted_keys")
        self.redis.kill()
        time.sleep(seconds)
        self.redis.start()


class BucketStore:
    name = "S3"

    def __init__(self, test):
        self.s3 = s3_server.S3()
        test.addCleanup(self.s3.close)
        keys = mock.patch.dict(os.environ, {"AWS_ACCESS_KEY_ID": s3_server.ID, "AWS_SECRET_ACCESS_KEY": s3_server.SECRET})
        keys.start()
        test.addCleanup(keys.stop)
        for name in ("AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3"):
            os.environ.pop(name, None)
        self.flags = ("--prefix-cache-url", self.s3.url())

    def bound(self, pages):
        self.s3.most = pages

    def names(self):
        return list(self.s3.objects)

    def get(self, name):
        return self.s3.objects.get(name)

    def change(self, name, record):
        if name in self.s3.objects:
            self.s3.objects[name] = record

    def evictions(self, _):
        return self.s3.expired

    def strike(self, seconds):
        """Refuses writes for a while."""
        self.s3.full = True
        time.sleep(seconds)
        self.s3.full = False


class Fleet:
    """The tests of any store."""
    KIND = None

    def setUp(self):
        super().setUp()
        self.random = random.Random(1)
        self.store = self.KIND(self)

    def place(self, *model):
        keys = [word for key in KEYS for word in ("--api-key", key)]
        place = Place(("-c", "512", "-np", "2", "--metrics", "--prefix-cache-wait", "10000", *keys, *self.store.flags, *model))  # memory keeps few prompts
        self.addCleanup(place.close)
        self.until(lambda: place.server.get("/props", headers=bearer()).json["kv"]["store"]["up"])
        return place

    def prompts(self, n, longest):
        """With beginnings in common, some up to the end of a page."""
        def words(k):
            return [self.random.randrange(5, 250) for _ in range(k)]
        beginnings = [words(256) for _ in range(5)]
        lengths = [k for k in (64, 100, 128, 192, 230, 256) if k + 80 < longest]
        return [self.random.choice(beginnings)[:self.random.choice(lengths)] + words(self.random.randrange(1, 80)) for _ in range(n)]

    def cold(self, prompts, *model):
        with Server("--no-prefix-cache", "-np", "1", *model) as server:
            return [asked(server, prompt)[0] for prompt in prompts]

    def damage(self, name):
        record = self.store.get(name)
        if record:
            self.store.change(name, flipped(record, self.random.randrange(8 * len(record))))
        return bool(record)

    def load(self, places, numbers, damaging):
        """Asks, from four threads, and has servers killed meanwhile. Gives what was done how often."""
        done, lock = collections.Counter(), threading.Lock()

        def disturb(i):
            if damaging and i % 4 == 0:
                done["damaged"] += sum(map(self.damage, self.random.sample(names := self.store.names(), min(1, len(names)))))
            if i % 30 == 29:
                self.random.choice(places).restart()
                done["killed"] += 1
            if i % 400 == 100:
                self.store.strike(0.05)
                done["struck"] += 1

        def ask(i):
            with lock:
                disturb(i)
                place, k, key, salt = (self.random.choice(of) for of in (places, range(len(self.all)), KEYS, ("", "", "", "salt")))
            answer, cached = place.ask(self.all[k], key, salt)
            self.assertEqual(answer, self.texts[k], k)
            with lock:
                done["asked"] += 1
                done["cached tokens"] += cached

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            list(pool.map(ask, numbers))
        return done

    def total(self, places):
        return sum((place.counters() for place in places), collections.Counter())

    def check(self, *model, longest=500):
        begin = time.monotonic()
        self.all = self.prompts(max(40, REQUESTS // 10), longest)
        self.texts = self.cold(self.all, *model)
        first = self.place(*model)
        first.ask(self.all[0])
        self.until(self.store.names)
        first.close()
        self.store.bound(PAGES)
        places = [self.place(*model), self.place(*model)]
        done = self.load(places, range(REQUESTS // 2), damaging=False)
        self.assertEqual(self.total(places)["corrupt"], 0, "a kill, or an eviction, has damaged something")
        done += self.load(places, range(REQUESTS // 2, REQUESTS), damaging=True)
        for name in self.store.names():
            self.damage(name)
        for place in places:
            place.restart()
        before = self.total(places)["corrupt"]
        for k in range(20):
            self.assertEqual(self.random.choice(places).ask(self.all[k])[0], self.texts[k], k)
        sums = self.total(places)
        done["evicted"] = self.store.evictions(sums)
        print(f"{self.store.name}: {dict(done)}, {dict(sums)}, {time.monotonic() - begin:.1f} s")
        self.assertGreater(sums["corrupt"], before)
        for count in ("hits", "read", "written"):
            self.assertGreater(sums[count], 0, count)
        for count in ("cached tokens", "damaged", "evicted", "killed"):
            self.assertGreater(done[count], 0, count)
        for place in places:
            self.assertEqual(place.server.stop(), 0)

    def test_every_answer_is_as_alone_and_cold(self):
        self.check()

    def test_a_flipped_bit_anywhere_is_found(self):
        prompt = [5 + i * 7 % 290 for i in range(280)]
        text, = self.cold([prompt])
        place = self.place()
        pages = []
        for k in range(1, 5):
            place.ask(prompt[:64 * k + 1])
            self.until(lambda: len(self.store.names()) == k)
            pages += set(self.store.names()) - set(pages)
        place.close()
        records = [self.store.get(page) for page in pages]
        fields = [0, *HEAD.values(), len(records[0])]
        changes = [lambda record, bits=(8 * a, 8 * b): flipped(record, self.random.randrange(*bits)) for a, b in zip(fields, fields[1:])]
        changes += [lambda record: record[:-1], lambda record: record + b"x", lambda record: b"", lambda _: records[2]]
        for i, change in enumerate(changes):
            k = 3 - i % 4
            self.store.change(pages[k], change(records[k]))
            place = self.place()
            self.assertEqual(place.ask(prompt), (text, 64 * k), i)
            self.assertEqual(place.counters()["corrupt"], 1, i)
            self.until(lambda: self.store.get(pages[k]) == records[k])
            place.close()


class FolderFleet(Fleet, support.CliTest):
    KIND = FolderStore

    def test_records_beside_pages(self):
        for model in ("falcon_h1", "gemma3"):  # of recurrent states, and of windows
            with self.subTest(model):
                self.store = FolderStore(self)
                self.check("-m", support.DATA / "golden" / model / "model.gguf", longest=250)


@unittest.skipUnless(REDIS, "there is no redis-server")
class RedisFleet(Fleet, support.CliTest):
    KIND = RedisStore


class BucketFleet(Fleet, support.CliTest):
    KIND = BucketStore


support.main()
