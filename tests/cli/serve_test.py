"""skald serve: the APIs, what they refuse, and how the server starts and ends."""
import base64
import json
import math
import signal
import struct
import threading
import time

import support
from server import Server, ServerTest

PROMPT = "Once upon a time"
CHAT = [{"role": "system", "content": "You tell stories."}, {"role": "user", "content": "Tell me about a pond."}]
SCHEMA = {"type": "object", "properties": {"city": {"enum": ["Oslo", "Rome"]}}, "required": ["city"], "additionalProperties": False}
TOOL = {"type": "function", "function": {"name": "weather", "parameters": SCHEMA}}


class Serve(ServerTest):
    FLAGS = ("--metrics", "-np", 4, "-c", 8192, "--chat-template", "chatml")

    def text(self, **more):
        return self.good("/v1/completions", {"prompt": PROMPT, "max_tokens": 40, "temperature": 0, **more})["choices"][0]["text"]

    def chat(self, **more):
        return self.good("/v1/chat/completions", {"messages": CHAT, "max_tokens": 40, "temperature": 0, **more})["choices"][0]

    def settled(self, counter):
        """The counter's value when it has stayed so for a while."""
        last, value = None, counter()
        while value != last:
            time.sleep(0.2)
            last, value = value, counter()
        return value

    def test_writes_what_run_writes(self):
        want = self.ok("run", "-p", PROMPT, "-n", 40, "--temp", 0, "--no-display-prompt").decode().rstrip("\n")
        self.assertEqual(self.text().rstrip("\n"), want)

    def test_streams_say_what_whole_answers_say(self):
        events, done = self.server.events("/v1/completions", {"prompt": PROMPT, "max_tokens": 40, "temperature": 0,
                                                              "stream_options": {"include_usage": True}})
        self.assertTrue(done)
        self.assertEqual("".join(e["choices"][0]["text"] for e in events if e["choices"]), self.text())
        self.assertEqual(events[-1]["usage"]["completion_tokens"], 40)
        self.assertEqual(events[-2]["choices"][0]["finish_reason"], "length")
        chat, done = self.server.events("/v1/chat/completions", {"messages": CHAT, "max_tokens": 40, "temperature": 0})
        self.assertTrue(done)
        self.assertEqual(chat[0]["choices"][0]["delta"]["role"], "assistant")
        self.assertEqual("".join(e["choices"][0]["delta"].get("content") or "" for e in chat), self.chat()["message"]["content"])

    def test_repeat_the_prompt_with_its_log_probabilities(self):
        ids = self.good("/tokenize", {"content": PROMPT, "add_special": True})["tokens"]
        body = {"prompt": PROMPT, "echo": True, "logprobs": 2, "temperature": 0}
        for max_tokens in (0, 4):
            said = self.good("/v1/completions", {**body, "max_tokens": max_tokens})
            probs = said["choices"][0]["logprobs"]
            self.assertEqual(len(probs["tokens"]), len(ids) + max_tokens)
            self.assertEqual({len(values) for values in probs.values()}, {len(ids) + max_tokens})
            self.assertIsNone(probs["token_logprobs"][0])
            self.assertTrue(all(value <= 0 for value in probs["token_logprobs"][1:]))
            self.assertTrue(said["choices"][0]["text"].startswith(PROMPT))
            self.assertEqual(said["usage"]["completion_tokens"], max_tokens)
            for token, value, top in list(zip(probs["tokens"], probs["token_logprobs"], probs["top_logprobs"]))[1:]:
                self.assertEqual(top[token], value)
        several = self.good("/v1/completions", {**body, "prompt": [PROMPT, ids], "n": 2, "max_tokens": 1})["choices"]
        self.assertEqual([c["logprobs"]["token_logprobs"][:len(ids)] for c in several], [probs["token_logprobs"][:len(ids)]] * 4)
        self.assertEqual(self.server.post("/v1/completions", {**body, "stream": True}).status, 400)

    def test_choices_are_the_texts_of_their_seeds(self):
        body = {"prompt": PROMPT, "max_tokens": 12, "temperature": 1, "seed": 50}
        many = self.good("/v1/completions", {**body, "n": 6})["choices"]
        self.assertEqual([c["index"] for c in many], list(range(6)))
        for choice in many:
            self.assertEqual(choice["text"], self.good("/v1/completions", {**body, "seed": 50 + choice["index"]})["choices"][0]["text"])

    def test_prompts_that_begin_alike_share_what_they_compute(self):
        body = {"prompt": PROMPT + " there was a dog" * 60, "max_tokens": 2, "cache_salt": "here"}
        cached = lambda **more: self.good("/v1/completions", {**body, **more})["usage"]["prompt_tokens_details"]["cached_tokens"]
        self.assertEqual(cached(), 0)
        self.assertGreaterEqual(cached(), 192)
        self.assertEqual(cached(cache_salt="elsewhere"), 0)
        self.assertEqual(cached(cache_prompt=False), 0)

    def test_next_turns_find_what_was_read_ahead(self):
        chat = [{"role": "user", "content": "Tell me about a pond. " * 20}]
        ahead = lambda: self.server.metric("skald_prompt_tokens_ahead_total")
        before = self.settled(ahead)  # of the tests before
        first = self.good("/v1/chat/completions", {"messages": chat, "temperature": 0, "cache_salt": "ahead"})
        self.assertEqual(first["choices"][0]["finish_reason"], "stop")
        chat += [{"role": "assistant", "content": first["choices"][0]["message"]["content"]}, {"role": "user", "content": "And then?"}]
        said = first["usage"]["total_tokens"] // 64 * 64
        while ahead() - before + first["usage"]["prompt_tokens"] // 64 * 64 < said:
            pass
        usage = self.good("/v1/chat/completions", {"messages": chat, "max_tokens": 1, "temperature": 0, "cache_salt": "ahead"})["usage"]
        self.assertGreaterEqual(usage["prompt_tokens_details"]["cached_tokens"], said)

    def test_stop_texts_end_answers(self):
        text = self.text()
        choice = self.good("/v1/completions", {"prompt": PROMPT, "max_tokens": 40, "temperature": 0, "stop": text[9:14]})["choices"][0]
        self.assertEqual((choice["text"], choice["finish_reason"]), (text[:9], "stop"))
        llama = self.good("/completion", {"prompt": PROMPT, "n_predict": 40, "temperature": 0, "stop": [text[9:14]]})
        self.assertEqual((llama["content"], llama["stop_type"], llama["stopping_word"]), (text[:9], "word", text[9:14]))

    def test_log_probabilities_add_up(self):
        choice = self.good("/v1/completions", {"prompt": PROMPT, "max_tokens": 6, "temperature": 0, "logprobs": 3})["choices"][0]
        probs = choice["logprobs"]
        self.assertEqual("".join(probs["tokens"]), choice["text"])
        for p, top in zip(probs["token_logprobs"], probs["top_logprobs"]):
            self.assertAlmostEqual(p, max(top.values()), 5)
            self.assertLess(sum(math.exp(x) for x in top.values()), 1.0001)

    def test_answers_fit_schemas_and_grammars(self):
        for seed in range(3):
            body = {"messages": CHAT, "max_tokens": 100, "temperature": 2, "seed": seed, "response_format": {"type": "json_schema", "schema": SCHEMA}}
            self.assertIn(json.loads(self.good("/v1/chat/completions", body)["choices"][0]["message"]["content"])["city"], ("Oslo", "Rome"))
        self.assertIn(self.text(grammar='root ::= "yes" | "no"'), ("yes", "no"))

    def test_tools_are_called_in_every_api(self):
        choice = self.chat(tools=[TOOL], tool_choice="required", max_tokens=100)
        self.assertEqual(choice["finish_reason"], "tool_calls")
        json.loads(choice["message"]["tool_calls"][0]["function"]["arguments"])
        tool = {"name": "weather", "input_schema": SCHEMA}
        message = self.good("/v1/messages", {"model": "x", "max_tokens": 100, "messages": CHAT[1:], "tools": [tool], "tool_choice": {"type": "any"}})
        self.assertEqual(message["stop_reason"], "tool_use")
        self.assertIn(message["content"][-1]["input"]["city"], ("Oslo", "Rome"))
        response = self.good("/v1/responses", {"input": "x", "max_output_tokens": 100, "tool_choice": "required",
                                               "tools": [{"type": "function", "name": "weather", "parameters": SCHEMA}]})
        self.assertEqual([o["name"] for o in response["output"] if o["type"] == "function_call"], ["weather"])

    def test_calls_have_ids_that_their_template_takes_back(self):
        template = self.new_folder() / "mistral.jinja"
        template.write_text("{% for m in messages %}{% for c in m.tool_calls or [] %}{% if c.id | length != 9 %}{{ raise_exception('nine') }}"
                            "{% endif %}[TOOL_CALLS]{{ c.id }}{% endfor %}{{ m.content }}{% endfor %}{% if tools %}{{ tools | tojson }}{% endif %}")
        body = {"messages": CHAT[1:], "max_tokens": 200, "tools": [TOOL], "tool_choice": "required", "parallel_tool_calls": False}
        with Server("--chat-template-file", template, "-c", 2048) as server:
            whole = server.post("/v1/chat/completions", body).json["choices"][0]["message"]["tool_calls"][0]["id"]
            events, _ = server.events("/v1/chat/completions", body)
            streamed = [d["tool_calls"][0]["id"] for e in events if (d := e["choices"][0]["delta"]).get("tool_calls")]
            for call in (whole, *streamed):
                self.assertRegex(call, "^[0-9A-Za-z]{9}$")
            for call in (streamed[0], "call_WFUcth0eBhmoTe5SdqGzBseJ"):
                said = {"role": "assistant", "content": None, "tool_calls": [{"id": call, "type": "function", "function": {"name": "weather", "arguments": "{}"}}]}
                turn = [*CHAT[1:], said, {"role": "tool", "tool_call_id": call, "content": "18"}]
                self.assertEqual(server.post("/apply-template", {"messages": turn, "tools": [TOOL]}).status, 200)
        prefix = self.good("/v1/chat/completions", body)["choices"][0]["message"]["tool_calls"][0]["id"][:5]
        self.assertEqual(prefix, "call_")

    def test_answers_go_on_with_a_last_message(self):
        begun = [*CHAT, {"role": "assistant", "content": "{\"city\": \"O"}]
        form = {"type": "json_schema", "schema": SCHEMA}
        self.assertEqual(self.chat(messages=begun, response_format=form)["message"]["content"], "slo\"}")
        whole = self.chat(messages=begun, response_format=form, add_generation_prompt=True)["message"]["content"]
        self.assertIn(json.loads(whole)["city"], ("Oslo", "Rome"))

    def test_the_apis_tell_the_same_text(self):
        want = self.chat(max_tokens=12)["message"]["content"]
        message = self.good("/v1/messages", {"model": "x", "system": CHAT[0]["content"], "messages": CHAT[1:], "max_tokens": 12, "temperature": 0})
        self.assertEqual(message["content"][0]["text"], want)
        response = self.good("/v1/responses", {"instructions": CHAT[0]["content"], "input": CHAT[1]["content"], "max_output_tokens": 12, "temperature": 0})
        self.assertEqual(response["output"][0]["content"][0]["text"], want)
        name = self.server.get("/v1/models").json["data"][0]["id"]
        ollama = self.good("/api/chat", {"model": name, "messages": CHAT, "stream": False, "options": {"temperature": 0, "num_predict": 12}})
        self.assertEqual(ollama["message"]["content"], want)
        count = self.good("/v1/messages/count_tokens", {"model": "x", "system": CHAT[0]["content"], "messages": CHAT[1:]})
        self.assertEqual(count["input_tokens"], message["usage"]["input_tokens"] + message["usage"]["cache_read_input_tokens"])

    def test_responses_tell_the_log_probabilities_of_a_chat(self):
        want = self.chat(max_tokens=12, logprobs=True, top_logprobs=2)["logprobs"]["content"]
        body = {"instructions": CHAT[0]["content"], "input": CHAT[1]["content"], "max_output_tokens": 12, "temperature": 0}
        asked = {**body, "top_logprobs": 2, "include": ["message.output_text.logprobs", "reasoning.encrypted_content"]}
        self.assertEqual(self.good("/v1/responses", asked)["output"][0]["content"][0]["logprobs"], want)
        events, _ = self.server.events("/v1/responses", asked)
        self.assertEqual([p for e in events if e["type"] == "response.output_text.delta" for p in e["logprobs"]], want)
        self.assertEqual(next(e for e in events if e["type"] == "response.output_text.done")["logprobs"], want)
        self.assertEqual(events[-1]["response"]["output"][0]["content"][0]["logprobs"], want)
        self.assertEqual(self.good("/v1/responses", body)["output"][0]["content"][0]["logprobs"], [])
        ends = {**asked, "max_output_tokens": 30, "text": {"format": {"type": "json_schema", "name": "a", "schema": {"enum": ["ab", "cd"]}}}}
        events, _ = self.server.events("/v1/responses", ends)
        self.assertEqual(events[-1]["response"]["output"][0]["content"], self.good("/v1/responses", ends)["output"][0]["content"])

    def test_a_response_that_is_cut_says_the_same_whole_and_streamed(self):
        for limit, status in ((5, "incomplete"), (30, "completed")):
            body = {"input": "x", "max_output_tokens": limit, "temperature": 0,
                    "text": {"format": {"type": "json_schema", "name": "a", "schema": {"enum": ["abcdefgh", "cdefghij"]}}}}
            whole = self.good("/v1/responses", body)
            events, _ = self.server.events("/v1/responses", body)
            self.assertEqual(events[-1]["type"], "response." + status)
            done = next(e["item"] for e in events if e["type"] == "response.output_item.done")
            for item in (whole["output"][0], done, events[-1]["response"]["output"][0]):
                self.assertEqual((item["type"], item["status"], item["content"]), ("message", status, whole["output"][0]["content"]))

    def test_embeddings_are_of_unit_length_in_every_form(self):
        floats = self.good("/v1/embeddings", {"input": ["a pond", "a dog"]})["data"]
        for item in floats:
            self.assertAlmostEqual(sum(x * x for x in item["embedding"]), 1, 4)
        coded = self.good("/v1/embeddings", {"input": "a pond", "encoding_format": "base64"})["data"][0]["embedding"]
        for a, b in zip(struct.unpack("<256f", base64.b64decode(coded)), floats[0]["embedding"]):
            self.assertAlmostEqual(a, b, 5)
        self.assertEqual(self.server.post("/v1/rerank", {"query": "a", "documents": ["b"]}).status, 501)

    def test_what_is_wrong_is_refused_by_name(self):
        for path, body, name in (("/v1/completions", {"prompt": PROMPT, "temperature": "hot"}, "temperature"),
                                 ("/v1/completions", {"prompt": PROMPT, "logit_bias": {"999999": 1}}, "logit_bias"),
                                 ("/v1/completions", {"prompt": PROMPT, "max_tokens": 1e30}, "max_tokens"),
                                 ("/v1/chat/completions", {"messages": [{"role": "wizard", "content": "x"}]}, "messages[0].role"),
                                 ("/v1/chat/completions", {"messages": CHAT, "tool_choice": "required"}, "tool_choice"),
                                 ("/v1/messages", {"messages": CHAT[1:]}, "max_tokens"),
                                 ("/v1/responses", {"input": "x", "previous_response_id": "r"}, "previous_response_id"),
                                 ("/v1/embeddings", {"input": ""}, "input"),
                                 ("/detokenize", {"tokens": [10 ** 7]}, "tokens")):
            reply = self.server.post(path, body)
            self.assertEqual(reply.status, 400, path)
            self.assertIn(name, reply.body.decode(), path)
        long = self.server.post("/v1/completions", {"prompt": "a " * 3000})
        self.assertEqual((long.status, long.json["error"]["code"]), (400, "context_length_exceeded"))
        self.assertEqual(self.server.post("/v1/completions", b"{").status, 400)
        self.assertEqual(self.server.get("/nothing").status, 404)
        wrong = self.server.ask("DELETE", "/v1/models")
        self.assertEqual((wrong.status, wrong.headers["allow"]), (405, "GET, HEAD, OPTIONS"))

    def test_streams_tell_how_much_of_the_prompt_is_read(self):
        long = PROMPT + " there was a pond" * 120
        chat = [{"role": "user", "content": long}]
        for path, body in (("/completion", {"prompt": long, "n_predict": 2}), ("/v1/completions", {"prompt": long, "max_tokens": 2}),
                           ("/v1/chat/completions", {"messages": chat, "max_tokens": 2})):
            body = {**body, "return_progress": True, "cache_salt": path}
            for cached in (False, True):
                told = [e["prompt_progress"] for e in self.server.events(path, body)[0] if "prompt_progress" in e]
                self.assertEqual(told[0]["processed"], told[0]["cache"])
                self.assertEqual(told[-1]["processed"], told[-1]["total"])
                self.assertEqual(told, sorted(told, key=lambda t: (t["processed"], t["time_ms"])))
                self.assertEqual(told[0]["cache"] > 0, cached)
            events = self.server.events(path, {**body, "return_progress": False})[0]
            self.assertFalse([e for e in events if "prompt_progress" in e])

    def test_streams_tell_how_many_requests_go_before_theirs(self):
        def last(path, body):
            events, _ = server.events(path, {**body, "return_progress": True})
            told[path] = [e["prompt_progress"].get("queued_before") for e in events if "prompt_progress" in e]
        told = {}
        with Server("-np", 1, "--chat-template", "chatml", "--metrics") as server:
            asks = [threading.Thread(target=last, args=ask) for ask in (
                ("/completion", {"prompt": PROMPT, "n_predict": 1}), ("/v1/completions", {"prompt": PROMPT, "max_tokens": 1}),
                ("/v1/chat/completions", {"messages": [{"role": "user", "content": PROMPT}], "max_tokens": 1}))]
            with server.busy():
                for n, ask in enumerate(asks, 1):
                    ask.start()
                    while server.metric("skald_requests_deferred") < n:
                        pass
                steps = server.metric("skald_tokens_predicted_total") + 3  # by then all are told
                while server.metric("skald_tokens_predicted_total") < steps:
                    pass
            for ask in asks:
                ask.join()
        self.assertEqual(told, {"/completion": [0, None, None], "/v1/completions": [1, 0, None, None],
                                "/v1/chat/completions": [2, 1, 0, None, None]})

    def test_several_texts_come_of_one_prompt_in_every_api(self):
        body = {"prompt": PROMPT, "n_predict": 6, "temperature": 1, "seed": 50, "n": 3}
        many = self.good("/completion", body)
        self.assertEqual([c["index"] for c in many], [0, 1, 2])
        self.assertEqual([c["content"] for c in many], [self.good("/completion", {**body, "n": 1, "seed": 50 + i})["content"] for i in range(3)])
        two = self.good("/completion", {"prompt": ["Once", PROMPT], "n_predict": 1})
        self.assertLess(two[0]["tokens_evaluated"], two[1]["tokens_evaluated"])

    def test_texts_are_not_embedded_for_a_client_that_has_left(self):
        cancelled = lambda: self.server.metric("skald_requests_cancelled_total")
        left = lambda: [line for line in self.server.get("/metrics").body.decode().splitlines()
                        if 'route="/v1/embeddings",code="499"' in line]
        before = cancelled()
        import http.client
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port)
        connection.request("POST", "/v1/embeddings", json.dumps({"input": [f"{i} dogs " + "and a pond " * 100 for i in range(1000)]}))
        connection.sock.shutdown(1)
        connection.close()
        while not left():  # the answer is counted after its texts are cancelled
            pass
        self.assertEqual(len(left()), 1)
        self.assertGreater(cancelled(), before)
        self.good("/v1/embeddings", {"input": "a pond"})

    def test_a_client_that_leaves_is_noticed(self):
        before = self.server.metric("skald_requests_cancelled_total")
        import http.client
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port)
        connection.request("POST", "/v1/completions", json.dumps({"prompt": PROMPT, "n": 40, "ignore_eos": True, "stream": True}))
        connection.getresponse().read(100)
        connection.close()
        while self.server.metric("skald_requests_cancelled_total") == before or self.server.metric("skald_requests_processing"):
            pass
        pages = {n: self.server.metric("skald_pages_" + n) for n in ("total", "active", "cached", "free")}
        self.assertEqual(pages["active"], 0)
        self.assertEqual(pages["total"], pages["cached"] + pages["free"])


class Fields(ServerTest):
    FLAGS = ("-c", 1024, "--chat-template", "chatml", "--log-jsonl")

    def ignored(self, path, body, name):
        """What the log says of the fields of a request."""
        self.good(path, body, {"x-request-id": name})
        return next(l for l in map(json.loads, self.server.errors().splitlines()) if l.get("id") == name).get("ignored", [])

    def test_lines_with_too_few_blanks_end_a_text(self):
        body = {"prompt": PROMPT, "n_predict": 60, "grammar": 'root ::= "ab\\n  cd\\n ef\\n  gh"'}
        self.assertEqual(self.good("/completion", body)["content"], "ab\n  cd\n ef\n  gh")
        short = self.good("/completion", {**body, "n_indent": 2})
        self.assertEqual((short["content"], short["stop_type"], short["generation_settings"]["n_indent"]), ("ab\n  cd\n ", "limit", 2))
        events, _ = self.server.events("/completion", {**body, "n_indent": 2})
        self.assertEqual("".join(e["content"] for e in events), "ab\n  cd\n ")

    def test_a_text_whose_time_is_over_ends_with_a_line(self):
        body = {"prompt": PROMPT, "n_predict": 800, "grammar": 'root ::= ([a-c] [a-c] [a-c] "\\n")*', "ignore_eos": True, "temperature": 5}
        self.assertEqual(self.good("/completion", body)["tokens_predicted"], 800)
        late = self.good("/completion", {**body, "t_max_predict_ms": 1})
        self.assertLess(late["tokens_predicted"], 800)
        self.assertEqual((late["content"][-1], late["stop_type"]), ("\n", "limit"))

    def test_filters_leave_as_many_tokens_as_wanted(self):
        body = {"prompt": PROMPT, "n_predict": 1, "top_k": 0, "min_p": 0, "top_p": 1e-6, "temperature": 20}
        said = lambda **more: {self.good("/completion", {**body, "seed": seed, **more})["content"] for seed in range(20)}
        self.assertEqual(len(said()), 1)
        self.assertGreater(len(said(min_keep=50)), 5)

    def test_fields_without_effect_are_told(self):
        body = {"prompt": PROMPT, "n_predict": 1}
        asked = {"n_keep": 5, "n_discard": 2, "id_slot": 0, "n_cache_reuse": 256, "t_max_prompt_ms": 9}
        self.assertEqual(set(self.ignored("/completion", {**body, **asked}, "asked")), set(asked))
        nothing = {"n_keep": 0, "n_discard": 0, "id_slot": -1, "n_cache_reuse": 0, "t_max_prompt_ms": -1}
        followed = {"min_keep": 1, "n_indent": 0, "t_max_predict_ms": 1000}
        self.assertEqual(self.ignored("/completion", {**body, **nothing, **followed}, "nothing"), [])
        message = {"model": "x", "max_tokens": 1, "messages": CHAT[1:], "metadata": {"user_id": "u"}}
        self.assertEqual(self.ignored("/v1/messages", message, "metadata"), ["metadata"])
        name = self.server.get("/v1/models").json["data"][0]["id"]
        ollama = {"model": name, "prompt": "x", "stream": False, "keep_alive": "5m", "options": {"num_predict": 1}}
        self.assertEqual(self.ignored("/api/generate", ollama, "ollama"), ["keep_alive"])
        response = {"input": "x", "max_output_tokens": 1}
        self.assertEqual(self.ignored("/v1/responses", {**response, "store": True}, "store"), ["store"])
        self.assertEqual(self.ignored("/v1/responses", {**response, "store": False, "background": False}, "none"), [])
        self.assertIs(self.good("/v1/responses", {**response, "store": True})["store"], False)

    def test_the_oldest_turns_make_room_where_a_response_may_be_truncated(self):
        message = lambda role, text: {"role": role, "content": text}
        turns = [[message("user", f"Question {i}: " + "a pond " * 20), message("assistant", f"Answer {i}.")] for i in range(40)]
        asked = lambda kept, **more: {"instructions": "You tell stories.", "input": sum(turns[kept:], []) + [message("user", "Go on.")],
                                      "max_output_tokens": 8, "temperature": 0, **more}
        for more in ({}, {"truncation": "disabled"}):
            reply = self.server.post("/v1/responses", asked(0, **more))
            self.assertEqual((reply.status, reply.json["error"]["code"]), (400, "context_length_exceeded"))
        cut = self.good("/v1/responses", asked(0, truncation="auto"))
        self.assertEqual(cut["truncation"], "auto")
        kept = next(k for k in range(1, 41) if self.server.post("/v1/responses", asked(k, max_output_tokens=8)).status == 200)
        fits = [self.good("/v1/responses", asked(k)) for k in (kept, kept + 1)]
        self.assertIn((cut["usage"]["input_tokens"], cut["output"][0]["content"]),
                      [(r["usage"]["input_tokens"], r["output"][0]["content"]) for r in fits])
        alone = self.server.post("/v1/responses", {"input": "a pond " * 1000, "truncation": "auto"})
        self.assertEqual((alone.status, alone.json["error"]["code"]), (400, "context_length_exceeded"))


class Predictions(support.CliTest):
    """What an answer may repeat makes it come faster, and no other."""

    def test_the_text_stays_the_same_and_its_guesses_are_told(self):
        body = {"messages": CHAT, "max_tokens": 40, "temperature": 0}
        with Server("--metrics", "--spec", "ngram", "--chat-template", "chatml") as server:
            ask = lambda path, body, **more: server.post(path, {**body, **more}).json
            plain = ask("/v1/chat/completions", body, cache_prompt=False)
            said = plain["choices"][0]["message"]["content"]
            self.assertNotIn("accepted_prediction_tokens", plain["usage"]["completion_tokens_details"])
            for content in (said, [{"type": "text", "text": said[:9]}, {"type": "text", "text": said[9:]}], "All of it is wrong. " + said, ""):
                told = ask("/v1/chat/completions", body, cache_prompt=False, prediction={"type": "content", "content": content})
                self.assertEqual(told["choices"][0]["message"]["content"], said, content)
                if content:
                    details = told["usage"]["completion_tokens_details"]
                    self.assertEqual(details["accepted_prediction_tokens"], told["timings"]["draft_n_accepted"])
                    self.assertGreater(details["accepted_prediction_tokens"], 10, content)
            self.assertGreaterEqual(server.metric("skald_tokens_drafted_total"), server.metric("skald_tokens_drafted_accepted_total"))
            self.assertGreater(server.metric("skald_tokens_drafted_accepted_total"), 30)
            for wrong, name in (("x", "prediction"), ({"type": "content"}, "prediction.content"), ({"type": "poem", "content": "x"}, "prediction.type"),
                                ({"content": "x"}, "prediction.type"), ({"type": "content", "content": [{"type": "image"}]}, "prediction.content[0].type")):
                for path, asked in (("/v1/chat/completions", body), ("/v1/completions", {"prompt": PROMPT})):
                    reply = server.post(path, {**asked, "prediction": wrong})
                    self.assertEqual((reply.status, reply.json["error"]["param"]), (400, name))

    def test_a_server_that_does_not_guess_says_so(self):
        with Server("--spec", "none", "--log-jsonl") as server:
            prediction = {"type": "content", "content": "and then"}
            self.assertEqual(server.post("/v1/completions", {"prompt": PROMPT, "max_tokens": 2, "prediction": prediction}).status, 200)
            self.assertEqual([json.loads(l).get("ignored") for l in server.errors().splitlines() if "/v1/completions" in l], [["prediction"]])


class Life(support.CliTest):
    def test_ends_when_what_runs_is_over(self):
        with Server("--drain", 60) as server:
            answer = []
            body = {"prompt": PROMPT, "max_tokens": 400, "ignore_eos": True, "n": 4, "seed": 1}
            asking = threading.Thread(target=lambda: answer.append(server.post("/v1/completions", body)))
            asking.start()
            while not any(s["is_processing"] for s in server.get("/slots").json):
                pass
            self.assertEqual(server.stop(), 0)
            asking.join()
            self.assertEqual([len(c["text"]) > 0 for c in answer[0].json["choices"]], [True] * 4)

    def test_a_second_signal_ends_it_at_once(self):
        with Server("--drain", 60) as server:
            body = {"prompt": PROMPT, "ignore_eos": True, "n": 100, "seed": 1}
            asking = threading.Thread(target=lambda: server.post("/v1/completions", body))
            asking.start()
            while not any(s["is_processing"] for s in server.get("/slots").json):
                pass
            server.process.send_signal(signal.SIGINT)
            while server.get("/health").status != 503:  # two signals at once would be one
                pass
            self.assertEqual(server.stop(signal.SIGINT), 130)
            asking.join()

    def test_keys_are_asked_for(self):
        with Server("--api-key", "alpha", "--api-key", "beta") as server:
            self.assertEqual(server.get("/health").status, 200)
            self.assertEqual(server.get("/v1/models").json["error"]["code"], "invalid_api_key")
            self.assertEqual(server.get("/v1/models", headers={"Authorization": "Bearer beta"}).status, 200)
            self.assertEqual(server.post("/v1/messages", {}).json["error"]["type"], "authentication_error")

    def test_models_of_a_folder_are_loaded_when_asked_for(self):
        folder = self.new_folder()
        for name in ("llama_gqa", "qwen2", "gpt2"):
            (folder / f"{name}.gguf").symlink_to(support.DATA / "golden" / name / "model.gguf")
        (folder / "broken.gguf").write_bytes(b"GGUF")
        with Server("--models-dir", folder, "--models-max", 2, "--metrics") as server:
            states = lambda: {m["id"]: m["status"]["value"] for m in server.get("/v1/models").json["data"]}
            self.assertEqual(set(states().values()), {"unloaded"})
            written = 0
            for name in ("llama_gqa", "qwen2", "gpt2"):
                reply = server.post("/v1/completions", {"model": name, "prompt": [5, 6, 7], "max_tokens": 2})
                self.assertEqual(reply.json["model"], name)
                written += reply.json["usage"]["completion_tokens"]
            counted = lambda: [server.metric("skald_" + name) for name in ("tokens_predicted_total", "prompt_tokens_total")]
            end = time.monotonic() + 60  # an engine counts after its last event
            while counted() != [written, 9]:
                self.assertLess(time.monotonic(), end, (counted(), written))
            self.assertEqual(states(), {"llama_gqa": "unloaded", "qwen2": "loaded", "gpt2": "loaded", "broken": "unloaded"})
            self.assertEqual(server.post("/v1/completions", {"model": "none", "prompt": "x"}).status, 404)
            self.assertIn("broken", server.post("/v1/completions", {"model": "broken", "prompt": "x"}).body.decode())
            self.assertEqual(server.post("/v1/completions", {"prompt": "x"}).status, 400)
            for keep, reason, state in (("5m", "load", "loaded"), (0, "unload", "unloaded")):
                reply = server.post("/api/generate", {"model": "gpt2", "prompt": "", "keep_alive": keep})
                self.assertEqual((reply.status, reply.json["done_reason"], states()["gpt2"]), (200, reason, state))
            self.assertEqual(server.post("/api/generate", {"model": "gpt2", "prompt": "x", "keep_alive": "soon"}).status, 400)

    def test_wrong_flags_are_named(self):
        for flags, name in ((("--port", 70000), "--port"), (("-np", 0), "-np"), (("--timeout", "soon"), "timeout"),
                            (("--max-itl", -1), "--max-itl"), (("--max-body", "big"), "--max-body"),
                            (("--models-dir", "x", "-a", "y"), "--models-dir"), (("--volatile-system", "("), "--volatile-system")):
            self.fails(2, "serve", *flags, says=[name])
        with Server("-m", "/no/such.gguf", wait=False) as server:
            self.assertEqual(server.process.wait(60), 1)
            self.assertIn("/no/such.gguf", server.errors())

    def test_logs_lines_of_json_without_texts(self):
        with Server("--log-jsonl") as server:
            server.post("/v1/completions", {"prompt": "a secret of mine", "max_tokens": 3, "nonsense": 1}, {"x-request-id": "mine-1"})
            self.assertEqual(server.stop(), 0)
            lines = [json.loads(line) for line in server.errors().splitlines()]
            request = next(line for line in lines if line.get("id") == "mine-1")
            self.assertEqual((request["msg"], request["status"], request["completion_tokens"], request["ignored"]), ("request", 200, 3, ["nonsense"]))
            self.assertNotIn("secret", server.errors())
        with Server("--log-jsonl", "--log-prompts") as server:
            server.post("/v1/completions", {"prompt": "a secret of mine", "max_tokens": 3})
            self.assertEqual(server.stop(), 0)
            request = next(line for line in map(json.loads, server.errors().splitlines()) if "prompt" in line)
            self.assertIn("a secret of mine", request["prompt"])
            self.assertTrue(request["answer"])


support.main()
