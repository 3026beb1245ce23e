"""`skald batch --shard` and `--join`: parts of a batch, which processes of their own answer, become the answers of one."""
import json
import signal
import subprocess

import support

PROMPT = "Once upon a time there was a little dog who lived by the sea and wanted to fly. "


def completion(name, prompt=PROMPT, n=8, **more):
    body = {"prompt": prompt, "max_tokens": n, "temperature": 0, **more}
    return {"custom_id": name, "method": "POST", "url": "/v1/completions", "body": body}


class Shards(support.CliTest):
    def setUp(self):
        self.folder = self.new_folder()
        self.input, self.output = self.folder / "in.jsonl", self.folder / "out.jsonl"

    def write(self, *requests):
        self.input.write_text("".join(json.dumps(r) + "\n" for r in requests))

    def run_shard(self, index, count, *flags):
        return self.ok("batch", self.input, self.output, "--shard", f"{index}/{count}", *flags)

    def path(self, index, count):
        return self.folder / f"out.{index}-of-{count}.jsonl"

    def join(self, count, *flags):
        return self.ok("batch", self.input, self.output, "--join", count, *flags)

    def answers(self, path):
        return [json.loads(line) for line in path.read_text().splitlines()]

    def names(self, path):
        return [answer["custom_id"] for answer in self.answers(path)]

    def texts(self, path):
        return {a["custom_id"]: a["response"]["body"]["choices"][0]["text"] for a in self.answers(path)}

    def test_shards_answer_as_one_process_does(self):
        requests = [completion(f"r{i}", f"{PROMPT}{i}") for i in range(7)]
        self.write(*requests)
        self.ok("batch", self.input, self.folder / "whole.jsonl")
        whole = self.texts(self.folder / "whole.jsonl")
        for count in (1, 3, 9):
            for index in range(count):
                self.run_shard(index, count)
            self.assertEqual(sum(len(self.names(self.path(i, count))) for i in range(count)), 7)
            self.join(count)
            self.assertEqual(self.names(self.output), [r["custom_id"] for r in requests])
            self.assertEqual(self.texts(self.output), whole)

    def test_a_shard_that_is_killed_goes_on(self):
        self.write(*(completion(f"r{i}", f"{PROMPT}{i}", 60, ignore_eos=True) for i in range(40)))
        self.run_shard(0, 2)
        running = subprocess.Popen([support.SKALD, "batch", self.input, self.output, "--shard", "1/2", "-np", "2"], stderr=subprocess.DEVNULL, env=support.environment())
        self.until(lambda: self.path(1, 2).exists() and len(self.path(1, 2).read_bytes().splitlines()) >= 2)
        running.send_signal(signal.SIGKILL)
        self.assertEqual(running.wait(60), -signal.SIGKILL)
        self.fails(1, "batch", self.input, self.output, "--join", 2, says=("no answer to: ", "to be run: 1/2"))
        self.assertFalse(self.output.exists())
        done = support.skald("batch", self.input, self.output, "--shard", "1/2")
        self.assertIn(b" of them before", done.stderr)
        self.join(2)
        self.assertEqual(self.names(self.output), [f"r{i}" for i in range(40)])

    def test_neighbours_that_begin_alike_are_computed_once(self):
        self.write(*(completion(f"{tale}{i}", f"{tale}: {PROMPT * 8}{i}", 4) for tale in "ABCD" for i in range(5)))
        for index in range(4):
            self.run_shard(index, 4, "-np", "2")
            cached = [a["response"]["body"]["usage"]["prompt_tokens_details"]["cached_tokens"] for a in self.answers(self.path(index, 4))]
            self.assertEqual(sorted(c > 0 for c in cached), [False] + [True] * 4)

    def test_failed_requests_are_told_after_joining_too(self):
        self.write(completion("good"), completion("hot", temperature="hot"), completion("fine"))
        flags = ("--errors", self.folder / "failed.jsonl")
        for index, code in ((0, 0), (1, 1)):  # good; hot and fine
            done = support.skald("batch", self.input, self.output, "--shard", f"{index}/2", *flags)
            self.assertEqual(done.returncode, code, done.stderr)
        self.assertIn(b"failed.1-of-2.jsonl", done.stderr)
        self.fails(1, "batch", self.input, self.output, "--join", 2, *flags, says=("2 requests answered, 1 failed", "failed.jsonl"))
        self.assertEqual(self.names(self.output), ["good", "fine"])
        self.assertEqual(self.names(self.folder / "failed.jsonl"), ["hot"])

    def test_an_input_that_changed_in_between_is_noticed(self):
        requests = [completion(f"r{i}", n=2) for i in range(4)]
        self.write(*requests)
        self.run_shard(0, 2)
        requests[1] = completion("r1", "Another prompt", n=2)
        self.write(*requests)
        self.run_shard(1, 2)
        self.fails(1, "batch", self.input, self.output, "--join", 2, says="changed after the answer: r1")
        self.assertFalse(self.output.exists())

    def test_an_answer_on_standard_output(self):
        self.write(completion("a"), completion("b"))
        out = self.ok("batch", self.input, "-", "--shard", "1/2")
        self.assertEqual([json.loads(line)["custom_id"] for line in out.splitlines()], ["b"])

    def test_wrong_use_is_named(self):
        self.write(completion("a"))
        for shard in ("1", "2/2", "a/b", "-1/2", "0/0", ""):
            self.fails(2, "batch", self.input, self.output, "--shard", shard, says="--shard")
        self.fails(2, "batch", "-", self.output, "--shard", "0/2", says=("--shard", "file"))
        self.fails(2, "batch", self.input, self.output, "--shard", "0/2", "--join", 2, says=("--join", "--shard"))
        for count in (0, -1, "x", 10 ** 9):
            self.fails(2, "batch", self.input, self.output, "--join", count, says="--join")
        self.fails(2, "batch", self.input, "-", "--join", 2, says="--join")
        self.fails(2, "batch", self.input, self.input, "--join", 2, says="in.jsonl")
        self.fails(1, "batch", self.folder / "none", self.output, "--join", 2, says="none")
        self.path(0, 2).write_text("notes\n")
        self.fails(1, "batch", self.input, self.output, "--join", 2, says="out.0-of-2.jsonl:1")
        self.assertEqual(self.path(0, 2).read_text(), "notes\n")


support.main()
