"""--override-kv: every command that loads a model takes it, and says what is wrong with one."""
import json
from pathlib import Path

import support

KEY = "llama.context_length"


class OverrideKv(support.CliTest):
    def setUp(self):
        self.folder = self.new_folder()
        ids = self.folder / "ids.txt"
        ids.write_text(support.comma(i % 400 for i in range(64)))
        self.commands = (
            ("bench", "-p", 1, "-n", 0, "-r", 1, "--roofline-seconds", 0.01),
            ("detokenize", "--ids", "5"),
            ("graph", "-o", self.folder / "graph.dot"),
            ("imatrix", "--ids-file", ids, "-c", 32, "-o", self.folder / "imatrix.gguf"),
            ("kv-size",),
            ("logits", "--ids", "5,6", "-o", self.folder / "logits.npy"),
            ("perplexity", "--ids-file", ids, "-c", 32),
            ("profile", "-p", 2, "-n", 1),
            ("run", "--prompt-ids", "5", "-n", 1),
            ("tokenize", "-p", "a"),
        )

    def test_is_taken_by_every_command_that_loads_a_model(self):
        for command in self.commands:
            self.ok(*command, "--override-kv", f"{KEY}=int:300", "--override-kv", "general.name=str:a, b")
            self.fails(2, *command, "--override-kv", f"{KEY}=number:300", says=(f"'{KEY}=number:300'", "int, float, bool or str"))
            self.fails(2, *command, "--override-kv", f"{KEY}=str:300", says=(f"'{KEY}=str:300'", "uint32"))

    def test_counts_instead_of_what_the_file_says(self):
        keys = json.loads(self.ok("kv-size", "-m", support.MODEL, "--json", "--override-kv", f"{KEY}=int:96"))
        self.assertIn(96, keys.values(), keys)
        ids = [self.ok("tokenize", "--ids", "-p", "Once", "--override-kv", f"tokenizer.ggml.add_bos_token=bool:{b}").split() for b in ("true", "false")]
        self.assertEqual(ids[0][1:], ids[1])

    def test_may_be_several_in_one(self):
        keys = json.loads(self.ok("kv-size", "-m", support.MODEL, "--json", "--override-kv", f"general.name=str:a, b,{KEY}=int:96,tokenizer.ggml.add_bos_token=bool:false"))
        self.assertIn(96, keys.values(), keys)
        self.fails(2, "tokenize", "-p", "a", "--override-kv", f"{KEY}=int:96,{KEY}=int:97", says=f"'{KEY}=int:97'")

    def test_changes_what_a_model_computes(self):
        logits = []
        for base in ("10000.0", "500.0"):
            out = self.folder / "logits.npy"
            self.ok("logits", "-m", support.MODEL, "--ids", "5,6,7,8", "-o", out, "--override-kv", f"llama.rope.freq_base=float:{base}")
            logits.append(out.read_bytes())
        self.assertNotEqual(*logits)

    def test_that_does_not_fit_the_model_is_named(self):
        text = "llama.embedding_length=int:64000"
        self.fails(1, "run", "-m", support.MODEL, "--prompt-ids", "5", "-n", 1, "--override-kv", text, says=(str(support.MODEL), f"'{text}'"))


if __name__ == "__main__":
    support.main()
