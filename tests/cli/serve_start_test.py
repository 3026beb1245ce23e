"""skald serve, the first minute: what it says, the flags of model cards and of llama-server, the address in a file."""
import json
import shutil
import tempfile
from pathlib import Path

import support
from server import Server

ASK = {"prompt": "Once upon a time", "max_tokens": 24}


class Start(support.CliTest):
    def test_says_which_model_is_ready(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "small-Q8_0.gguf"
            shutil.copyfile(support.MODEL, path)
            with Server("-m", path) as server:
                model = server.get("/v1/models").json["data"][0]
                self.assertEqual(model["id"], "small-Q8_0")
                self.assertNotEqual(model["display_name"], model["id"])
                self.assertEqual(server.stop(), 0)
                self.assertRegex(server.errors(), rf"ready model=small-Q8_0 name={model['display_name']} file={path} n_ctx=\d+ parallel=16")

    def test_is_what_ps_lists(self):
        with tempfile.TemporaryDirectory() as folder:
            key = Path(folder) / "key"
            key.write_text("secret\n")
            with Server("--api-key-file", key, "-a", "saga") as server:
                url = f"http://127.0.0.1:{server.port}"
                self.assertIn("saga", self.ok("ps", "--url", url, "--api-key-file", key).decode())
                self.assertEqual(json.loads(self.ok("ps", "--url", url, "--api-key-file", key, "-o", "json"))["models"][0]["name"], "saga")
                self.fails(1, "ps", "--url", url)
                server.stop()
            self.fails(1, "ps", "--url", url, says="no server answers")

    def test_takes_flags_of_model_cards_as_defaults(self):
        with Server("--temp", 0.9, "--seed", 7, "--top-k", 3, "-n", 5) as server:
            params = server.get("/props").json["default_generation_settings"]["params"]
            self.assertEqual((round(params["temperature"], 3), params["top_k"], params["n_predict"]), (0.9, 3, 5))
            chat = server.post("/v1/completions", {"prompt": "Once"}).json
            self.assertEqual(chat["usage"]["completion_tokens"], 5)
            said = server.post("/v1/completions", {**ASK, "temperature": 0.9, "seed": 7, "top_k": 3}).json["choices"][0]["text"]
            self.assertEqual(server.post("/v1/completions", ASK).json["choices"][0]["text"], said)
            other = server.post("/v1/completions", {**ASK, "temperature": 0}).json["choices"][0]["text"]
            self.assertNotEqual(other, said)

    def test_tells_the_defaults_of_each_api(self):
        with Server("--chat-template", "chatml", "--reasoning-budget", 7) as server:
            props = server.get("/props").json
            generation, chat = (props[f"{kind}_generation_settings"]["params"] for kind in ("default", "chat"))
            self.assertEqual([round(params["temperature"], 3) for params in (generation, chat)], [0.8, 1])
            self.assertEqual((chat["max_tokens"], chat["reasoning_budget"]), (-1, 7))
            usual, own = (server.post("/v1/chat/completions", {"messages": [{"role": "user", "content": "Hi"}], "seed": 3, "max_tokens": 40, **more})
                          .json["choices"][0]["message"]["content"] for more in ({}, {"temperature": chat["temperature"]}))
            self.assertEqual(usual, own)

    def test_refuses_sampling_flags_that_are_wrong(self):
        self.fails(2, "serve", "--top-p", "2", says="--top-p")
        self.fails(2, "serve", "-n", "-2", says="-n")
        with Server("-l", "999999999+1", wait=False) as server:
            self.assertEqual(server.process.wait(60), 1)
            self.assertIn("--logit-bias", server.errors())

    def test_takes_flags_of_llama_server_that_change_nothing(self):
        flags = ("--embedding", "--props", "--threads-http", 4, "--cache-reuse", 256, "--jinja", "--no-context-shift", "--webui")
        with Server(*flags) as server:
            self.assertEqual(server.get("/").status, 200)

    def test_gives_no_page_where_it_is_switched_off(self):
        with Server("--no-webui") as server:
            self.assertEqual(server.get("/").status, 404)
            self.assertIn("--no-webui", server.get("/").json["error"]["message"])

    def test_says_why_it_does_not_take_others(self):
        for flags in (("--models-preset", "x"), ("--path", "x"), ("--context-shift",), ("--tools", "all")):
            self.fails(2, "serve", *flags, says=(flags[0], "not supported: "))

    def test_refuses_lists_of_mcp_servers_that_are_wrong(self):
        url = "http://localhost:1/mcp"
        self.fails(2, "serve", "--mcp", "files=ftp://a/b", says=("--mcp", "http and https"))
        self.fails(2, "serve", "--mcp", "a b=" + url, says=("--mcp", "a b"))
        self.fails(2, "serve", "--mcp", url, "--mcp", url + "2", says=("--mcp", "localhost-1", "NAME=URL"))
        self.fails(2, "serve", "--mcp", url, "--mcp-headers", "other=x", says=("--mcp-headers", "other"))
        self.fails(2, "serve", "--mcp", url, "--mcp-headers", "x", says=("--mcp-headers", "NAME=FILE"))
        self.fails(2, "serve", "--mcp-timeout", 0, says="--mcp-timeout")
        self.fails(2, "serve", "--mcp", url, "--host", "0.0.0.0", says=("--mcp", "--api-key-file"))
        with tempfile.TemporaryDirectory() as folder:
            headers = Path(folder) / "headers"
            headers.write_text("Authorization: Bearer secret\nHost: secret\n")
            self.fails(2, "serve", "--mcp", "x=" + url, "--mcp-headers", f"x={headers}", says=f"{headers}: line 2: the server sets Host itself")

    def test_starts_without_the_mcp_servers_that_it_lists(self):
        with Server("--mcp", "down=http://localhost:1/mcp") as server:
            self.assertEqual(server.get("/mcp").json, {"servers": [{"name": "down"}]})
            answer = server.post("/mcp/down", {"jsonrpc": "2.0", "id": 1, "method": "ping"}, {"Content-Type": "application/json"})
            self.assertEqual(answer.status, 502)
            self.assertIn("the MCP server down: it cannot be reached: http://localhost:1", answer.json["error"]["message"])

    def test_writes_its_address_while_it_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "address"
            with Server("--address-file", path) as server:
                self.assertEqual(path.read_text(), f"http://127.0.0.1:{server.port}\n")
                server.stop()
            self.assertFalse(path.exists())

    def test_warns_of_an_address_that_is_open_to_others(self):
        for flags, warns in ((("--host", "0.0.0.0"), True), (("--host", "0.0.0.0", "--api-key", "k"), False), ((), False)):
            with Server(*flags, wait=False) as server:
                server.stop()
                self.assertEqual("--api-key-file asks for keys" in server.errors(), warns, flags)

    def test_keeps_successful_polls_out_of_the_log(self):
        with Server("--metrics") as server:
            for path in ("/health", "/slots", "/props", "/metrics", "/v1/models", "/nothing"):
                server.get(path)
            server.post("/v1/completions", ASK)
            server.stop()
            requests = [line for line in server.errors().splitlines() if " request " in line]
            self.assertEqual(len(requests), 2, requests)


support.main()
