"""skald run in the form of a chat: one answer to messages, with tools that the answer may call."""
import json
import re

import support

TOOLS = [{"type": "function", "function": {"name": "get_weather", "parameters": {
    "type": "object", "properties": {"city": {"type": "string", "maxLength": 12}, "days": {"type": "integer", "minimum": 1, "maximum": 7}},
    "required": ["city", "days"], "additionalProperties": False}}},
    {"type": "function", "function": {"name": "now", "parameters": {"type": "object", "properties": {}, "additionalProperties": False}}}]
# Knows tools, and writes calls as Hermes does.
TEMPLATE = ("{% for m in messages %}[{{ m.role }}] {{ m.content }}\n{% endfor %}{% if tools %}{{ tools | tojson }}{% endif %}"
            "{% if add_generation_prompt %}[assistant]{% endif %}{# <tool_call> {\"name\": ... } </tool_call> #}")
ONE = ("--no-parallel-tool-calls", "--reasoning-format", "none", "-n", "300", "--no-perf")


class RunChat(support.CliTest):
    def setUp(self):
        self.folder = self.new_folder()
        self.tools = self.folder / "tools.json"
        self.tools.write_text(json.dumps(TOOLS))
        self.template = self.folder / "template.jinja"
        self.template.write_text(TEMPLATE)

    def chat(self, *flags, **how):
        return self.ok("run", "--chat-template-file", self.template, *flags, **how)

    def message(self, *flags, **how):
        return json.loads(self.chat("-o", "json", *flags, **how))

    def test_answers_a_message(self):
        out = self.chat("-sys", "Tell stories.", "-p", "Who lives here?", "-n", "12", "--temp", "0", "--ignore-eos")
        self.assertGreater(len(out), 10)
        self.assertNotIn(b"Who lives here?", out)
        again = self.message("-sys", "Tell stories.", "-p", "Who lives here?", "-n", "12", "--temp", "0", "--ignore-eos")
        self.assertEqual(again["content"].strip(), out.decode().strip())
        self.assertEqual(again["tool_calls"], [])

    def test_answers_a_request_of_the_chat_api(self):
        request = {"messages": [{"role": "user", "content": "Who lives here?"}], "tools": TOOLS, "parallel_tool_calls": False,
                   "tool_choice": {"type": "function", "function": {"name": "now"}}, "temperature": 0.5}
        r = support.skald("run", "--chat-template-file", self.template, "--messages", "-", "-o", "json", *ONE[1:], stdin=json.dumps(request).encode())
        self.assertEqual(r.returncode, 0, r.stderr)
        self.assertEqual(json.loads(r.stdout)["tool_calls"], [{"name": "now", "arguments": "{}"}])
        self.assertIn("temperature", r.stderr.decode())

    def test_goes_on_with_an_answer_at_the_end(self):
        chat = [{"role": "user", "content": "Who?"}, {"role": "assistant", "content": "The number is 12"}]
        regex = ("--messages", "-", "--regex", "The number is 12[34]", "--no-perf")
        self.assertIn(self.chat(*regex, stdin=json.dumps(chat).encode()), (b"3\n", b"4\n"))
        anew = {"messages": chat, "continue_final_message": False}
        self.assertIn(self.chat(*regex, stdin=json.dumps(anew).encode()), (b"The number is 123\n", b"The number is 124\n"))

    def test_calls_have_known_names_and_arguments_that_fit(self):
        for seed in range(4):
            said = self.message("-p", "Rain?", "--tools", self.tools, "--tool-choice", "required", *ONE, "-s", seed)
            self.assertEqual(len(said["tool_calls"]), 1, said)
            call = said["tool_calls"][0]
            arguments = json.loads(call["arguments"])
            if call["name"] == "now":
                self.assertEqual(arguments, {})
                continue
            self.assertEqual(call["name"], "get_weather")
            self.assertLessEqual(len(arguments["city"]), 12)
            self.assertIn(arguments["days"], range(1, 8))

    def test_choice_is_none_or_a_tool(self):
        said = self.message("-p", "Rain?", "--tools", self.tools, "--tool-choice", "now", *ONE)
        self.assertEqual([c["name"] for c in said["tool_calls"]], ["now"])
        said = self.message("-p", "Rain?", "--tools", self.tools, "--tool-choice", "none", "-n", "20", "--no-perf")
        self.assertEqual(said["tool_calls"], [])
        self.fails(2, "run", "-p", "Rain?", "--tools", self.tools, "--tool-choice", "snow", says="get_weather, now")
        self.fails(2, "run", "-p", "Rain?", "--tool-choice", "required", says="there are no tools")

    def test_grammars_are_about_the_answer_behind_the_thinking(self):
        thinking = self.folder / "thinking.jinja"
        thinking.write_text(TEMPLATE.replace("[assistant]", "[assistant]<think>"))
        out = self.ok("run", "--chat-template-file", thinking, "-p", "Hi", "--regex", "[0-9]{3}", "--reasoning-budget", "8", "-o", "json", "-n", "60")
        said = json.loads(out)
        self.assertRegex(said["content"], r"\A[0-9]{3}\Z")
        self.assertTrue(said["reasoning_content"])

    def test_refuses_what_is_wrong_by_name(self):
        chat = ("run", "-sys", "x", "-p", "Hi")
        self.fails(2, *chat, "--prompt-ids", "1,2", says="--prompt-ids")
        self.fails(2, *chat, "--context-shift", says="--context-shift")
        self.fails(2, "run", "-p", "Hi", "-o", "xml", says="want text or json")
        wrong = self.folder / "wrong.json"
        wrong.write_text("[3]")
        self.fails(1, "run", "-p", "Hi", "--tools", wrong, says="wrong.json")
        loose = json.loads(json.dumps(TOOLS))
        loose[0]["function"]["parameters"]["properties"]["city"]["pattern"] = "(?=a)b"
        wrong.write_text(json.dumps(loose))
        r = support.skald("run", "--chat-template-file", self.template, "-p", "Hi", "--tools", wrong)
        self.assertEqual(r.returncode, 1)
        self.assertTrue(re.search(r"get_weather.*pattern", r.stderr.decode()), r.stderr)


support.main()
