"""What clients read when a request is wrong: the field as they wrote it, in each API, and the words that agents look for."""
import json

import support
from server import Server

ASK = [{"role": "user", "content": "x"}]
NONE_FITS = {"type": "object", "properties": {"x": {"enum": []}}, "required": ["x"]}


def tools(*functions):
    return [{"type": "function", "function": f} for f in functions]


# (path, body, field that the message names)
WRONG = (
    ("/v1/chat/completions", {"messages": ASK, "tools": tools({"name": ""})}, "tools[0].function.name"),
    ("/v1/chat/completions", {"messages": ASK, "tools": tools({"name": "a"}, {"name": "b", "parameters": NONE_FITS})}, "tools[1].function.parameters.properties.x"),
    ("/v1/chat/completions", {"messages": ASK, "tools": tools({"name": "a"}, {"name": "a"})}, "tools[1].function.name"),
    ("/v1/chat/completions", {"messages": ASK, "response_format": {"type": "json_schema", "json_schema": {"schema": NONE_FITS}}},
     "response_format.json_schema.schema.properties.x"),
    ("/v1/chat/completions", {"messages": ASK, "stop": ["a", ""]}, "stop[1]"),
    ("/v1/messages", {"model": "x", "max_tokens": 1, "messages": ASK, "tools": [{"name": "", "input_schema": {}}]}, "tools[0].name"),
    ("/v1/messages", {"model": "x", "max_tokens": 1, "messages": ASK, "tools": [{"name": "a", "input_schema": NONE_FITS}]}, "tools[0].input_schema.properties.x"),
    ("/v1/messages", {"model": "x", "max_tokens": 1, "messages": ASK, "output_config": {"format": {"type": "json_schema", "schema": NONE_FITS}}},
     "output_config.format.schema.properties.x"),
    ("/v1/messages", {"model": "x", "max_tokens": 1, "messages": ASK, "output_config": {"format": {"type": "xml"}}}, "output_config.format.type"),
    ("/v1/messages", {"model": "x", "max_tokens": 1, "messages": ASK, "stop_sequences": [""]}, "stop_sequences[0]"),
    ("/v1/responses", {"input": "x", "tools": [{"type": "function", "name": ""}]}, "tools[0].name"),
    ("/v1/responses", {"input": "x", "tools": [{"type": "function", "name": "a", "parameters": NONE_FITS}]}, "tools[0].parameters.properties.x"),
    ("/v1/responses", {"input": "x", "text": {"format": {"type": "json_schema", "name": "a", "schema": NONE_FITS}}}, "text.format.schema.properties.x"),
    ("/v1/responses", {"input": [{"type": "function_call_output", "call_id": "1", "output": [{"type": "image"}]}]}, "input[0].output[0].type"),
    ("/api/chat", {"messages": ASK, "tools": tools({"name": ""})}, "tools[0].function.name"),
    ("/api/chat", {"messages": ASK, "format": NONE_FITS}, "format.properties.x"),
    ("/api/chat", {"messages": ASK, "options": {"stop": [""]}}, "options.stop[0]"),
)


class Errors(support.CliTest):
    @classmethod
    def setUpClass(cls):
        cls.server = Server("-c", 1024, "--chat-template", "chatml", "-a", "story")

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()

    def message(self, path, body):
        reply = self.server.post(path, {"model": "story", **body})
        self.assertEqual(reply.status, 400, (path, body, reply.body))
        error = reply.json["error"]
        return error if isinstance(error, str) else error["message"]

    def test_name_the_field_as_the_client_wrote_it(self):
        for path, body, field in WRONG:
            self.assertTrue(self.message(path, body).startswith(field + ": "), (field, self.message(path, body)))

    def test_of_a_prompt_that_is_too_long_are_in_the_words_of_agents(self):
        long = [{"role": "user", "content": "word " * 2000}]
        for path, body in (("/v1/chat/completions", {"messages": long}), ("/v1/responses", {"input": "word " * 2000}), ("/v1/completions", {"prompt": "word " * 2000})):
            said = self.message(path, body)
            self.assertRegex(said, r"prompt is too long: \d+ tokens > 1024 maximum")
            self.assertRegex(said, r"exceeds the available context size.*maximum context length is 1024 tokens")
        for path in ("/v1/messages", "/api/chat"):
            self.assertRegex(self.message(path, {"max_tokens": 1, "messages": long}), r"^prompt is too long: \d+ tokens > 1024 maximum$")
        self.assertTrue(self.message("/v1/responses", {"input": "word " * 2000}).startswith("input: "))
        self.assertRegex(self.message("/v1/embeddings", {"input": ["a", "word " * 2000]}), r"^input\[1\]: .*tokens > 1024 maximum")
        full = self.server.post("/tokenize", {"content": "word " * 2000}).json["tokens"][:1024]
        self.assertIn("1024 tokens > 1023 maximum", self.message("/v1/completions", {"prompt": full}))

    def test_do_not_come_where_a_format_of_anthropic_is_followed(self):
        schema = {"type": "object", "properties": {"city": {"enum": ["Oslo"]}}, "required": ["city"], "additionalProperties": False}
        for more in ({"output_config": {"format": {"type": "json_schema", "schema": schema}, "effort": "low"}}, {"output_format": {"type": "json_schema", "schema": schema}}):
            reply = self.server.post("/v1/messages", {"model": "story", "max_tokens": 60, "messages": ASK, **more})
            self.assertEqual((reply.status, json.loads(reply.json["content"][-1]["text"])), (200, {"city": "Oslo"}))


class Responses(support.CliTest):
    MAY_BE_NULL = {"error", "incomplete_details", "previous_response_id", "instructions", "max_output_tokens", "max_tool_calls", "safety_identifier",
                   "prompt_cache_key", "completed_at"}

    def test_have_no_null_where_the_api_has_none(self):
        nulls = dict.fromkeys(("tools", "parallel_tool_calls", "tool_choice", "text", "temperature", "top_p", "reasoning", "metadata", "top_logprobs"))
        with Server("--chat-template", "chatml", "--temp", 0.3) as server:
            for more in ({}, nulls):
                said = server.post("/v1/responses", {"input": "hi", "max_output_tokens": 4, **more}).json
                self.assertLessEqual({key for key, value in said.items() if value is None}, self.MAY_BE_NULL)
                self.assertEqual((said["tools"], said["parallel_tool_calls"], said["tool_choice"], said["text"]), ([], True, "auto", {"format": {"type": "text"}}))
                self.assertEqual((said["temperature"], said["reasoning"]), (0.3, {"effort": None, "summary": None}))
            said = server.post("/v1/responses", {"input": "hi", "max_output_tokens": 4, "temperature": 0, "tools": [{"type": "function", "name": "f"}]}).json
            self.assertEqual(said["tools"], [{"type": "function", "name": "f", "description": None, "parameters": None, "strict": None}])
            self.assertEqual(said["temperature"], 0)
            said = server.post("/v1/responses", {"input": "hi", "max_output_tokens": 4, "tools": [{"type": None, "name": "f"}]})
            self.assertEqual(said.status, 200, said.body)
            chat = server.post("/v1/chat/completions", {"messages": ASK, "max_tokens": 2}).json
            self.assertIn("refusal", chat["choices"][0]["message"])


support.main()
