"""skald serve with adapters: by request, by name, and loaded while it runs."""
import json
import pathlib
import shutil
import threading

import support
from server import Server

DATA = pathlib.Path(__file__).resolve().parent.parent / "data"
MODEL = DATA / "golden" / "llama_gqa" / "model.gguf"
ADAPTER, SECOND, PEFT = (DATA / "lora" / "llama_all" / name for name in ("adapter.gguf", "second.gguf", "peft"))
FOREIGN = DATA / "lora" / "qwen2_attention" / "adapter.gguf"
IDS = json.loads((DATA / "lora" / "llama_all" / "expected.json").read_text())["ids"]
FLAGS = ("-ctk", "f32", "-ctv", "f32", "-np", 8, "-c", 4096)


class Adapters(support.CliTest):
    def server(self, *flags):
        return Server("-m", MODEL, *FLAGS, *flags)

    def text(self, server, prompt=IDS[:6], path="/completion", **fields):
        body = {"prompt": prompt, "max_tokens": 16, "temperature": 0, "ignore_eos": True, **fields}
        reply = server.post(path, body)
        self.assertEqual(reply.status, 200, reply.body)
        return reply.json["content"] if path == "/completion" else reply.json["choices"][0]["text"]

    def refused(self, reply, status, *words):
        self.assertEqual(reply.status, status, reply.body)
        for word in words:
            self.assertIn(word, reply.json["error"]["message"])

    def test_scales_by_request_share_a_batch(self):
        with self.server("--lora", ADAPTER) as server:
            fields = [{}, *({"lora": [{"id": 0, "scale": scale}]} for scale in (0, 0.5, 1))]
            alone = [self.text(server, **f) for f in fields]
            self.assertEqual(alone[0], alone[3])
            self.assertEqual(len(set(alone)), 3)
            got = [None] * 16
            threads = [threading.Thread(target=lambda i=i: got.__setitem__(i, self.text(server, **fields[i % 4])))
                       for i in range(len(got))]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            self.assertEqual(got, alone * 4)
            self.assertEqual(self.text(server, lora=[]), alone[1], "an empty list: none")

    def test_the_usual_scales_are_read_and_set(self):
        with self.server("--lora", ADAPTER, "--lora-scaled", f"{SECOND}:-0.75", "--lora-init-without-apply") as server:
            plain = self.text(server)
            listed = server.get("/lora-adapters").json
            self.assertEqual([(a["id"], a["path"], a["scale"]) for a in listed], [(0, str(ADAPTER), 0), (1, str(SECOND), 0)])
            self.assertEqual(server.post("/lora-adapters", [{"id": 0, "scale": 1}, {"id": 1, "scale": -0.75}]).json,
                             {"success": True})
            both = self.text(server)
            self.assertNotEqual(both, plain)
            self.assertEqual(self.text(server, lora=[{"id": 1, "scale": -0.75}, {"id": 0, "scale": 1}]), both)
            server.post("/lora-adapters", [{"id": 1, "scale": 0.5}])
            self.assertEqual([a["scale"] for a in server.get("/lora-adapters").json], [0, 0.5])
            server.post("/lora-adapters", [])
            self.assertEqual(self.text(server), plain)
            for body, words in (([{"id": 7, "scale": 1}], ["7"]), ([{"id": 0}], ["scale"]), ([{"scale": 1}], ["id"]),
                                ({"id": 0}, ["list"]), ([{"id": 0, "scale": "x"}], ["scale"])):
                self.refused(server.post("/lora-adapters", body), 400, *words)
            self.refused(server.post("/completion", {"prompt": IDS, "lora": [{"id": 9, "scale": 1}]}), 400, "lora", "9")
            self.refused(server.post("/completion", {"prompt": IDS, "lora": {"id": 0}}), 400, "lora")

    def test_adapters_answer_by_their_names(self):
        with self.server("--lora-modules", f"one={ADAPTER},folder={PEFT}", "-a", "base") as server:
            path = "/v1/completions"
            plain, one = self.text(server, path=path, model="base"), self.text(server, path=path, model="one")
            self.assertNotEqual(one, plain)
            self.assertEqual(self.text(server, path=path, model="folder"), one)
            self.assertEqual(self.text(server, lora=[{"id": 0, "scale": 1}]), one)
            models = {m["id"]: m.get("parent") for m in server.get("/v1/models").json["data"]}
            self.assertEqual(models, {"base": None, "one": "base", "folder": "base"})

    def test_adapters_come_and_go_while_it_runs(self):
        folder = pathlib.Path(self.new_folder())
        shutil.copy(ADAPTER, folder / "a.gguf")
        shutil.copy(FOREIGN, folder / "foreign.gguf")
        load = lambda server, name, file: server.post("/v1/load_lora_adapter", {"lora_name": name, "lora_path": file})
        with self.server("--lora-dir", folder) as server:
            plain = self.text(server)
            self.assertEqual(load(server, "a", "a.gguf").status, 200)
            adapted = self.text(server, model="a")
            self.assertNotEqual(adapted, plain)
            self.refused(load(server, "a", "a.gguf"), 400, "lora_name")
            self.refused(load(server, "b", "missing.gguf"), 404, "lora_path")
            self.refused(load(server, "b", f"../{folder.name}/../../etc/passwd"), 404, "lora_path")
            self.refused(load(server, "b", str(MODEL)), 404, "lora_path")
            self.refused(load(server, "b", "foreign.gguf"), 400, "foreign.gguf", "qwen2")
            self.refused(server.post("/v1/unload_lora_adapter", {"lora_name": "b"}), 404, "lora_name")
            self.assertEqual(server.post("/v1/unload_lora_adapter", {"lora_name": "a"}).status, 200)
            self.assertEqual(server.get("/lora-adapters").json, [])
            self.assertEqual(load(server, "a", str(folder / "a.gguf")).status, 200)
            self.assertEqual(self.text(server, model="a"), adapted)
        with self.server() as server:
            self.refused(load(server, "a", "a.gguf"), 403, "--lora-dir")

    def test_cached_prompts_are_found_by_the_same_adapters_alone(self):
        prompt = [5 + i % 300 for i in range(200)]

        def cached(server, **fields):
            body = {"prompt": prompt, "max_tokens": 2, "temperature": 0, **fields}
            return server.post("/v1/completions", body).json["usage"]["prompt_tokens_details"]["cached_tokens"]

        with self.server("--lora", ADAPTER, "--prefix-cache-dir", self.new_folder()) as server:
            half = {"lora": [{"id": 0, "scale": 0.5}]}
            self.assertEqual([cached(server), cached(server)], [0, 192])
            self.assertEqual([cached(server, **half), cached(server, **half)], [0, 192])
            self.assertEqual([cached(server, lora=[]), cached(server, lora=[])], [0, 192])

    def test_wrong_adapters_end_the_start(self):
        for code, flags, words in ((1, ("--lora", FOREIGN), (str(FOREIGN), "qwen2")),
                                   (1, ("--lora", MODEL), (str(MODEL), "adapter")),
                                   (2, ("--lora-modules", "x"), ("NAME=FILE",)),
                                   (2, ("--lora-scaled", ADAPTER), ("FILE:SCALE",)),
                                   (2, ("--lora-dir", MODEL), ("--lora-dir",))):
            end = support.skald("serve", "-m", MODEL, "--port", 0, *flags)
            self.assertEqual(end.returncode, code, end.stderr)
            for word in words:
                self.assertIn(word, end.stderr.decode())


if __name__ == "__main__":
    support.main()
