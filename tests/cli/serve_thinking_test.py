"""skald serve: thinking that is longer than its budget is ended within its request."""
import concurrent.futures
import pathlib
import tempfile

import support
from server import Server

THINKS = ("{% for m in messages %}[{{ m.role }}]{{ m.content }}{% endfor %}"
          "{% if add_generation_prompt %}[assistant]<think>\n{% endif %}")
CHAT = [{"role": "user", "content": "Hi"}]
BODY = {"messages": CHAT, "max_tokens": 40, "reasoning_budget": 5, "seed": 7}
PATH = "/v1/chat/completions"
WAITING = 3


class Thinking(support.CliTest):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        template = pathlib.Path(cls.folder.name) / "thinks.jinja"
        template.write_text(THINKS)
        cls.server = Server("-np", 2, "-c", 8192, "--chat-template-file", template, "--queue", WAITING)

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()
        cls.folder.cleanup()

    def answer(self, **more):
        reply = self.server.post(PATH, {**BODY, **more})
        self.assertEqual(reply.status, 200, reply.body)
        return reply.json

    def test_counts_what_ends_the_thinking_as_a_part_of_the_answer(self):
        said = self.answer(logprobs=True)
        choice, usage = said["choices"][0], said["usage"]
        self.assertTrue(choice["message"]["reasoning_content"])
        self.assertTrue(choice["message"]["content"])
        self.assertEqual(usage["completion_tokens"], 40)
        tokens = choice["logprobs"]["content"]
        self.assertEqual(len(tokens), 40)
        text = "".join(t["token"] for t in tokens)
        self.assertEqual(text.count("</think>"), 1)
        self.assertIn("</think>", "".join(t["token"] for t in tokens[5:20]))
        free = self.answer(logprobs=True, reasoning_budget=-1)
        self.assertEqual([t["token"] for t in tokens[:5]], [t["token"] for t in free["choices"][0]["logprobs"]["content"][:5]])

    def test_says_the_same_in_streams_with_log_probabilities_and_as_one_of_several(self):
        want = self.answer()["choices"][0]["message"]
        self.assertEqual(self.answer(logprobs=True)["choices"][0]["message"], want)
        events, done = self.server.events(PATH, BODY)
        self.assertTrue(done)
        deltas = [e["choices"][0]["delta"] for e in events if e["choices"]]
        for field in ("reasoning_content", "content"):
            self.assertEqual("".join(d.get(field) or "" for d in deltas), want[field])
        several = self.answer(n=3)["choices"]
        self.assertEqual(several[0]["message"], want)
        for i, choice in enumerate(several):
            self.assertEqual(choice["message"], self.answer(seed=BODY["seed"] + i)["choices"][0]["message"])

    def test_holds_for_answers_that_a_schema_describes(self):
        said = self.answer(max_tokens=100, response_format={"type": "json_schema", "json_schema": {"name": "x", "schema": {"enum": ["Oslo", "Rome"]}}})
        message = said["choices"][0]["message"]
        self.assertIn(message["content"], ('"Oslo"', '"Rome"'))
        self.assertTrue(message["reasoning_content"])
        self.assertLess(said["usage"]["completion_tokens"], 40)

    def test_ends_every_answer_that_was_begun_however_many_wait(self):
        """An answer whose thinking is ended keeps its slot: it does not wait again, nor is it refused."""
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            replies = list(pool.map(lambda i: self.server.post(PATH, {**BODY, "seed": i, "stream": True}), range(60)))
        begun = [r for r in replies if r.status == 200]
        self.assertGreaterEqual(len(begun), WAITING + 2)
        for reply in begun:
            self.assertIn(b"data: [DONE]", reply.body)
            self.assertNotIn(b'"error"', reply.body)
        for reply in replies:
            self.assertIn(reply.status, (200, 429), reply.body)


support.main()
