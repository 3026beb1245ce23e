"""Hugging Face folders: inspected, computed with in memory, and what is wrong with them said."""
import json
import struct
import tempfile
from pathlib import Path

import support

CONFIG = {"architectures": ["LlamaForCausalLM"], "hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2,
          "max_position_embeddings": 64, "rms_norm_eps": 1e-5, "vocab_size": 16}
LAYER = {"input_layernorm": (32,), "post_attention_layernorm": (32,), "self_attn.q_proj": (32, 32), "self_attn.k_proj": (32, 32),
         "self_attn.v_proj": (32, 32), "self_attn.o_proj": (32, 32), "mlp.gate_proj": (32, 32), "mlp.up_proj": (32, 32), "mlp.down_proj": (32, 32)}
TENSORS = {"model.embed_tokens.weight": (16, 32), "model.norm.weight": (32,), **{f"model.layers.0.{name}.weight": shape for name, shape in LAYER.items()}}


def size(shape):
    n = 1
    for d in shape:
        n *= d
    return n


def safetensors(tensors):
    """The bytes of a file whose numbers are small and differ."""
    header, data = {}, b""
    for name, shape in tensors.items():
        values = [((i * 37 + len(name)) % 17 - 8) / 32 for i in range(size(shape))]
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + 4 * len(values)]}
        data += struct.pack(f"<{len(values)}f", *values)
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


class Folder(support.CliTest):
    def setUp(self):
        self.temp = tempfile.TemporaryDirectory()
        self.addCleanup(self.temp.cleanup)
        self.folder = Path(self.temp.name) / "Tiny-Llama"
        self.folder.mkdir()
        self.write(CONFIG, TENSORS)

    def write(self, config, tensors):
        (self.folder / "config.json").write_text(json.dumps(config))
        (self.folder / "model.safetensors").write_bytes(safetensors(tensors))

    def convert_fails(self, code, *args, says=()):
        out = Path(self.temp.name) / "out.gguf"
        self.fails(code, "convert", self.folder, out, *args, says=says)
        self.assertFalse(out.exists())

    def test_is_listed_as_the_file_that_it_would_become(self):
        listing = json.loads(self.ok("inspect", self.folder, "--json"))
        self.assertEqual(listing["metadata"]["general.name"], "Tiny-Llama")
        self.assertEqual(len(listing["tensors"]), len(TENSORS))
        self.assertEqual(listing["parameters"], sum(map(size, TENSORS.values())))
        self.assertIn(b"blk.0.attn_q.weight", self.ok("inspect", self.folder))

    def test_is_computed_with_in_memory(self):
        prompt = ("--prompt-ids", "1,2,3", "--temp", "0", "-n", "4", "--ignore-eos", "-m", self.folder)
        tokens = self.ids(*prompt)
        self.assertEqual(len(tokens), 4)
        self.assertEqual(self.ids(*prompt, "--no-mmap"), tokens)
        self.assertEqual(self.ids(*prompt, "--no-repack"), tokens)

    def test_wrong_flags(self):
        self.convert_fails(2, "--type", "q9_9", says=("q9_9", "q8_0"))
        self.convert_fails(2, "-t", "-1", says="-t")
        self.fails(2, "convert", self.folder)
        self.fails(2, "convert")

    def test_what_is_missing_is_named(self):
        self.fails(1, "convert", self.folder / "none", "out.gguf", says="none is not a folder")
        self.write(CONFIG, {k: v for k, v in TENSORS.items() if "up_proj" not in k})
        self.convert_fails(1, says="the checkpoint has no model.layers.0.mlp.up_proj.weight")
        (self.folder / "model.safetensors").unlink()
        self.convert_fails(1, says="model.safetensors")
        (self.folder / "pytorch_model.bin").write_bytes(b"")
        self.convert_fails(1, says="save the model as safetensors")
        (self.folder / "config.json").unlink()
        self.convert_fails(1, says="config.json")

    def test_damaged_checkpoints_are_refused(self):
        whole = safetensors(TENSORS)
        for cut in (0, 7, 8, 100, len(whole) - 1):
            (self.folder / "model.safetensors").write_bytes(whole[:cut])
            self.convert_fails(1, says="model.safetensors")

    def test_classes_that_are_not_known_are_named(self):
        self.write({**CONFIG, "architectures": ["NoSuchModel"]}, TENSORS)
        self.convert_fails(1, says=("NoSuchModel", "LlamaForCausalLM"))


ADAPTER = {"peft_type": "LORA", "r": 2, "lora_alpha": 4}


def adapter_tensors(d):
    """A and B of a square matrix."""
    module = "base_model.model.model.layers.0.self_attn.q_proj"
    return {f"{module}.lora_A.weight": (2, d), f"{module}.lora_B.weight": (d, 2)}


class Adapter(support.CliTest):
    def setUp(self):
        self.dir = self.new_folder()
        self.base, self.adapter, self.out = self.dir / "Tiny-Llama", self.dir / "my-lora", self.dir / "out.gguf"
        self.base.mkdir()
        self.adapter.mkdir()
        (self.base / "config.json").write_text(json.dumps(CONFIG))
        (self.base / "model.safetensors").write_bytes(safetensors(TENSORS))
        self.write(ADAPTER)

    def write(self, config):
        (self.adapter / "adapter_config.json").write_text(json.dumps(config))
        (self.adapter / "adapter_model.safetensors").write_bytes(safetensors(adapter_tensors(32)))

    def test_becomes_a_file(self):
        self.ok("convert", self.adapter, self.out, "--base", self.base)
        listing = json.loads(self.ok("inspect", self.out, "--json"))
        self.assertEqual(listing["metadata"]["general.type"], "adapter")
        self.assertEqual(sorted(t["name"] for t in listing["tensors"]), ["blk.0.attn_q.weight.lora_a", "blk.0.attn_q.weight.lora_b"])

    def test_wants_its_base(self):
        self.fails(2, "convert", self.adapter, self.out, says="--base")
        self.fails(2, "convert", self.base, self.out, "--base", self.base, says="--base")
        self.fails(2, "convert", self.adapter, self.out, "--base", self.base, "--type", "q9", says="q9")
        self.fails(2, "convert", self.adapter, self.out, "--base", self.base, "--pre-tokenizer", "qwen2", says="--pre-tokenizer")
        self.write({**ADAPTER, "use_dora": True})
        self.fails(1, "convert", self.adapter, self.out, "--base", self.base, says=("adapter_config.json", "use_dora"))
        self.assertFalse(self.out.exists())

    def test_may_be_said_to_be_one(self):
        self.ok("convert", "--adapter", self.adapter, self.out, "--base", self.base)
        (self.adapter / "config.json").write_text("{}")
        self.fails(2, "convert", "--adapter", self.adapter, self.out, says="--base")
        self.fails(2, "convert", "--adapter", self.base, self.out, "--base", self.base, says="--adapter")
        self.fails(1, "convert", "--adapter", "no-lora", self.out, "--base", self.base, says="no such adapter")

    def test_is_merged_into_a_file(self):
        model, merged = support.DATA / "golden/qwen2/model.gguf", self.dir / "merged.gguf"
        lora = support.DATA / "lora/qwen2_attention"
        self.ok("export-lora", "-m", model, "--lora", lora / "adapter.gguf", "-o", self.out, "--type", "f32")
        self.ok("export-lora", "-m", model, "--lora-scaled", f"{lora / 'peft'}:1", "-o", merged, "--type", "f32")
        self.assertEqual(self.out.read_bytes(), merged.read_bytes())
        self.assertNotEqual(self.out.read_bytes(), model.read_bytes())
        self.fails(2, "export-lora", "-m", model, "-o", merged, says="--lora")
        self.fails(2, "export-lora", "-m", model, "--lora", lora / "adapter.gguf", says="-o")
        self.fails(1, "export-lora", "-m", self.base, "--lora", lora / "adapter.gguf", "-o", merged, says="skald convert")


if __name__ == "__main__":
    support.main()
