"""`skald batch`: OpenAI's batch form from a file to a file, as the server answers it."""
import json
import os
import signal
import subprocess
import time

import support
from server import Server

PROMPT = "Once upon a time there was a little dog who lived by the sea and wanted to fly. "


def request(name, url="/v1/completions", **body):
    return {"custom_id": name, "method": "POST", "url": url, "body": body}


def completion(name, prompt=PROMPT, n=12, **more):
    return request(name, prompt=prompt, max_tokens=n, temperature=0, **more)


class Batch(support.CliTest):
    def setUp(self):
        self.folder = self.new_folder()
        self.input, self.output = self.folder / "in.jsonl", self.folder / "out.jsonl"

    def write(self, *requests):
        self.input.write_text("".join(json.dumps(r) + "\n" for r in requests))

    def run_batch(self, *flags, code=0, **options):
        done = support.skald("batch", self.input, self.output, *flags, **options)
        self.assertEqual(done.returncode, code, done.stderr.decode())
        self.assertEqual(done.stdout, b"")
        return done.stderr.decode()

    def answers(self, path=None):
        lines = [json.loads(line) for line in (path or self.output).read_text().splitlines()]
        for line in lines:
            self.assertEqual(list(line), ["id", "custom_id", "response", "error"])
        self.assertEqual(len({line["id"] for line in lines}), len(lines))
        return {line["custom_id"]: line for line in lines}

    def body(self, name):
        response = self.answers()[name]["response"]
        self.assertEqual(response["status_code"], 200, response)
        return response["body"]

    def test_answers_are_those_of_the_server(self):
        chat = {"messages": [{"role": "user", "content": "Tell me of a pond."}], "max_tokens": 10, "temperature": 0}
        asked = {"/v1/completions": {"prompt": [PROMPT, "A"], "n": 2, "seed": 5, "max_tokens": 12, "logprobs": 2}, "/v1/chat/completions": chat,
                 "/v1/embeddings": {"input": ["a pond", "a dog"]}, "/v1/responses": {"input": "A pond", "max_output_tokens": 8, "temperature": 0}}
        self.write(*(request(url, url, **body) for url, body in asked.items()))
        self.run_batch()

        def without_own(json_value):  # ids and times differ from answer to answer
            if isinstance(json_value, dict):
                return {k: without_own(v) for k, v in json_value.items() if k not in ("id", "created", "created_at", "completed_at", "timings", "prompt_tokens_details", "input_tokens_details")}
            return [without_own(v) for v in json_value] if isinstance(json_value, list) else json_value

        with Server() as server:
            for url, body in asked.items():
                self.assertEqual(without_own(self.body(url)), without_own(server.post(url, body).json), url)

    def test_what_was_answered_is_not_run_again(self):
        self.write(*(completion(f"r{i}", f"{PROMPT}{i}") for i in range(6)))
        self.run_batch()
        whole = self.output.read_bytes()
        lines = whole.splitlines(keepends=True)
        self.output.write_bytes(b"".join(lines[:3]) + lines[3][:-40])  # as kill -9 leaves it
        self.assertIn("3 of them before", self.run_batch())
        after = self.output.read_bytes()
        self.assertTrue(after.startswith(b"".join(lines[:3])))
        self.assertEqual(set(self.answers()), {f"r{i}" for i in range(6)})
        self.output.write_bytes(whole[:-1])  # whole but for the end of the line
        self.assertIn("6 of them before", self.run_batch())
        self.assertEqual(self.output.read_bytes(), whole)

    def test_a_run_that_is_killed_goes_on(self):
        self.write(*(completion(f"r{i}", f"{PROMPT}{i}", 60, ignore_eos=True) for i in range(60)))
        for number, code in ((signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130)):
            before = len(self.output.read_bytes().splitlines()) if self.output.exists() else 0
            running = subprocess.Popen([support.SKALD, "batch", self.input, self.output, "-np", "4"], stderr=subprocess.DEVNULL, env=support.environment())
            while not self.output.exists() or len(self.output.read_bytes().splitlines()) < before + 2:
                time.sleep(0.01)
            running.send_signal(number)
            self.assertEqual(running.wait(60), code)
        self.run_batch()
        answers = self.answers()
        self.assertEqual(len(answers), 60)
        self.assertEqual(len(self.output.read_bytes().splitlines()), 60)
        self.assertTrue(all(a["response"]["body"]["usage"]["completion_tokens"] == 60 for a in answers.values()))

    def test_prompts_that_begin_alike_are_computed_once(self):
        long = PROMPT * 8
        self.write(*(completion(f"r{i}", ("A: " if i % 2 else "B: ") + long + str(i), 4) for i in range(12)))
        self.run_batch("-np", "2")
        cached = [a["response"]["body"]["usage"]["prompt_tokens_details"]["cached_tokens"] for a in self.answers().values()]
        self.assertEqual(sorted(c > 0 for c in cached), [False] * 2 + [True] * 10)

    def test_lines_that_are_no_requests_are_answered_with_what_is_wrong(self):
        good = json.dumps(completion("good")).encode()
        bad = [b"{", b"[]", b'{"custom_id":"\xff"}', json.dumps({**completion("x"), "custom_id": 5}).encode(), json.dumps({"method": "POST"}).encode(), b'{"custom_id":"huge","body":"' + b"x" * 5000 + b'"}',
               json.dumps({"custom_id": "no url", "method": "POST", "body": {}}).encode(), json.dumps(request("url", "/v1/models")).encode(),
               json.dumps({**completion("get"), "method": "GET"}).encode(), json.dumps({**completion("body"), "body": "x"}).encode(), json.dumps({**completion("more"), "more": 1}).encode()]
        self.input.write_bytes(b"\xef\xbb\xbf" + good + b"\r\n\n" + b"\n".join(bad))
        message = self.run_batch("--max-body", "1K", code=1)
        self.assertIn("1 request answered, 11 failed", message)
        lines = [json.loads(line) for line in self.output.read_text().splitlines()]
        errors = {line["error"]["line"]: line for line in lines if line["error"]}
        self.assertEqual(sorted(errors), list(range(3, 14)))
        self.assertEqual([errors[n]["error"]["code"] for n in range(3, 14)],
                         ["invalid_json_line", "invalid_json_line", "invalid_json_line", "invalid_custom_id", "missing_custom_id", "line_too_long", "invalid_url", "invalid_url", "invalid_method", "invalid_body", "unknown_field"])
        self.assertTrue(all(line["response"] is None for line in errors.values()))
        self.assertEqual(errors[10]["custom_id"], "url")
        before = self.output.read_bytes()
        self.run_batch("--max-body", "1K", code=1)
        self.assertEqual(self.output.read_bytes(), before)

    def test_requests_that_the_server_refuses_say_why(self):
        self.write(completion("good"), request("hot", prompt="x", temperature="hot"), completion("streams", stream=True), request("none"))
        errors = self.folder / "errors.jsonl"
        self.run_batch("--errors", errors, code=1)
        self.assertEqual(list(self.answers()), ["good"])
        refused = self.answers(errors)
        self.assertEqual({k: v["response"]["status_code"] for k, v in refused.items()}, {"hot": 400, "streams": 400, "none": 400})
        self.assertEqual({k: v["response"]["body"]["error"]["param"] for k, v in refused.items()}, {"hot": "temperature", "streams": "stream", "none": "prompt"})

    def test_a_name_that_is_there_twice_is_refused_before_anything_runs(self):
        self.write(completion("a"), completion("b"), completion("a"))
        self.assertIn("in.jsonl:3: the custom_id a is line 1's too", self.run_batch(code=1))
        self.assertFalse(self.output.exists())

    def test_pipes(self):
        requests = "".join(json.dumps(completion(f"r{i}", n=3)) + "\n" for i in range(3))
        out = self.ok("batch", "-", "-", stdin=requests.encode())
        self.assertEqual({json.loads(line)["custom_id"] for line in out.splitlines()}, {"r0", "r1", "r2"})

    def test_other_files_are_left_alone(self):
        self.write(completion("a"))
        for text in ("notes\n", "notes", '{"id": 5}\n'):
            self.output.write_text(text)
            self.run_batch(code=1)
            self.assertEqual(self.output.read_text(), text)
        self.fails(2, "batch", self.input, self.input, says="in.jsonl")
        self.fails(2, "batch", self.input, self.output, "--errors", self.output, says="out.jsonl")
        self.fails(2, "batch", self.input, says="out")
        self.fails(2, "batch", self.input, self.output, "-np", "0", says=("batch", "-np"))
        self.fails(1, "batch", self.folder / "none", self.folder / "new", says="none")


support.main()
