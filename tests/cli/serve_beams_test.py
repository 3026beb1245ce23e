"""skald serve: beam searches and the best of several texts, as vLLM and OpenAI have them."""
import concurrent.futures
import http.client
import json
import unittest

import support
from server import Server, ServerTest

PROMPT = "Once upon a time"


class Beams(ServerTest):
    FLAGS = ("-np", 3, "-c", 512)

    def choices(self, **more):
        return self.good("/v1/completions", {"prompt": PROMPT, "max_tokens": 10, **more})["choices"]

    def test_a_search_finds_what_run_finds(self):
        for beams, n, penalty in ((4, 4, 1), (3, 1, 0.5), (5, 2, 0)):
            found = self.ok("run", "-p", PROMPT, "-n", 10, "--beams", beams, "--n-best", n, "--length-penalty", penalty, "-o", "json")
            want = json.loads(found)["beams"]
            got = self.choices(use_beam_search=True, best_of=beams, n=n, length_penalty=penalty)
            self.assertEqual([c["text"] for c in got], [w["content"] for w in want])
            self.assertEqual([c["index"] for c in got], list(range(n)))
            self.assertEqual([c["finish_reason"] for c in got], [w["finish_reason"] for w in want])
            for choice, text in zip(got, want):
                self.assertAlmostEqual(choice["score"], text["score"], places=4)
                self.assertAlmostEqual(choice["log_prob"], text["log_prob"], places=3)

    def test_n_is_the_number_of_beams_where_best_of_says_nothing(self):
        self.assertEqual(self.choices(use_beam_search=True, n=3), self.choices(use_beam_search=True, n=3, best_of=3))

    def test_streams_tell_of_the_texts_at_the_end(self):
        body = {"prompt": PROMPT, "max_tokens": 10, "use_beam_search": True, "n": 2, "best_of": 4, "logprobs": 1}
        events, done = self.server.events("/v1/completions", body)
        self.assertTrue(done)
        whole = self.good("/v1/completions", body)["choices"]
        for i in range(2):
            mine = [e["choices"][0] for e in events if e["choices"][0]["index"] == i]
            self.assertEqual("".join(c["text"] for c in mine), whole[i]["text"])
            self.assertEqual([c["finish_reason"] for c in mine if c["finish_reason"]], ["length"])
            said = [value for c in mine if c["logprobs"] for value in c["logprobs"]["token_logprobs"]]
            self.assertEqual(said, whole[i]["logprobs"]["token_logprobs"])
            self.assertAlmostEqual(sum(said), whole[i]["log_prob"], places=6)

    def test_a_search_that_finds_fewer_texts_has_fewer_choices(self):
        one = {"grammar": 'root ::= "a"', "use_beam_search": True, "n": 4}
        got = self.good("/v1/completions", {"prompt": [PROMPT, "The"], "max_tokens": 5, "echo": True, **one})["choices"]
        self.assertEqual([c["text"] for c in got], [PROMPT + "a", "Thea"])
        events, done = self.server.events("/v1/completions", {"prompt": PROMPT, "max_tokens": 5, "echo": True, **one})
        self.assertTrue(done)
        self.assertEqual("".join(e["choices"][0]["text"] for e in events), PROMPT + "a")
        self.assertEqual({e["choices"][0]["index"] for e in events}, {0})
        self.assertEqual(len([e for e in events if e["choices"][0]["finish_reason"]]), 1)

    def test_chats_may_search_too(self):
        body = {"messages": [{"role": "user", "content": "Tell me of a dog."}], "max_tokens": 10, "use_beam_search": True, "n": 2}
        got = self.good("/v1/chat/completions", body)["choices"]
        self.assertEqual(len(got), 2)
        self.assertNotEqual(got[0]["message"]["content"], got[1]["message"]["content"])

    def test_searches_run_beside_others(self):
        want = [self.choices(use_beam_search=True, n=n, max_tokens=30) for n in (2, 4, 8)]
        with concurrent.futures.ThreadPoolExecutor() as pool:
            drawn = [pool.submit(self.choices, max_tokens=60, seed=i) for i in range(4)]
            got = [pool.submit(self.choices, use_beam_search=True, n=n, max_tokens=30) for n in (2, 4, 8)]
            self.assertEqual([g.result() for g in got], want)
            for d in drawn:
                self.assertEqual(len(d.result()), 1)

    def test_the_best_of_several_texts_is_the_most_probable(self):
        body = {"temperature": 1, "seed": 11, "logprobs": 0, "ignore_eos": True}
        mean = lambda c: sum(c["logprobs"]["token_logprobs"]) / len(c["logprobs"]["token_logprobs"])
        drawn = sorted(self.choices(**body, n=6), key=mean, reverse=True)
        for n in (1, 3):
            best = self.choices(**body, n=n, best_of=6)
            self.assertEqual([c["text"] for c in best], [c["text"] for c in drawn[:n]])
            for got, want in zip(best, drawn):
                self.assertAlmostEqual(got["score"], mean(want), places=6)
        usage = self.good("/v1/completions", {"prompt": PROMPT, "max_tokens": 10, **body, "best_of": 6})["usage"]
        self.assertEqual(usage["completion_tokens"], 60)

    def test_a_cancelled_search_frees_its_slots(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=60)
        connection.request("POST", "/v1/completions", json.dumps({"prompt": PROMPT, "use_beam_search": True, "n": 8, "ignore_eos": True}))
        self.until(lambda: any(slot["is_processing"] for slot in self.server.get("/slots").json))
        connection.close()
        self.until(lambda: not any(slot["is_processing"] for slot in self.server.get("/slots").json))
        self.assertEqual(len(self.choices(n=3)), 3)

    def test_wrong_fields_are_named(self):
        for body, name in (({"best_of": 1, "n": 2}, "best_of"), ({"best_of": 129}, "best_of"), ({"best_of": 0}, "best_of"),
                           ({"use_beam_search": "yes"}, "use_beam_search"), ({"use_beam_search": True, "length_penalty": 11}, "length_penalty"),
                           ({"use_beam_search": True, "length_penalty": "x"}, "length_penalty"),
                           ({"use_beam_search": True, "n": 3, "best_of": 2}, "best_of")):
            reply = self.server.post("/v1/completions", {"prompt": PROMPT, **body})
            self.assertEqual((reply.status, reply.json["error"]["param"]), (400, name), body)

    def test_fields_without_effect_are_told_in_the_log(self):
        self.choices(use_beam_search=True, n=2, temperature=0.5, seed=4)
        self.choices(length_penalty=0.5)
        log = self.server.errors()
        for name in ("temperature", "seed", "length_penalty"):
            self.assertIn(name, log)


if __name__ == "__main__":
    unittest.main()
