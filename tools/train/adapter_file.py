"""Files of low-rank changes: GGUF as llama.cpp reads it, and the folder that the library PEFT writes."""

import json
import os

import gguf
import numpy as np
import torch
from safetensors.torch import save_file

from export import deinterleave, gguf_names, interleave

HF_NAMES = {
    "attn.q": "self_attn.q_proj", "attn.k": "self_attn.k_proj", "attn.v": "self_attn.v_proj", "attn.o": "self_attn.o_proj",
    "ffn.gate": "mlp.gate_proj", "ffn.up": "mlp.up_proj", "ffn.down": "mlp.down_proj",
}


def layers(cfg):
    """(layer of the model, weight's name in GGUF, heads whose rows are interleaved there or 0) of each linear layer."""
    for ours, theirs, heads in gguf_names(cfg):
        if ours.startswith("blocks.") and "norm" not in ours:
            yield ours.removesuffix(".weight"), theirs, heads


def write_gguf(path, cfg, changes, alpha, name):
    """Writes the changes in f16. Rows of B are those of the weight, in the order that GGUF has for queries and keys."""
    w = gguf.GGUFWriter(path, "llama")
    w.add_type("adapter")
    w.add_name(name)
    w.add_string("general.base_model.0.name", "skald-tiny")
    w.add_uint32("general.base_model.count", 1)
    w.add_string("adapter.type", "lora")
    w.add_float32("adapter.lora.alpha", alpha)
    for layer, weight, heads in layers(cfg):
        a, b = (m.detach().numpy() for m in (changes[layer].a, changes[layer].b))
        w.add_tensor(weight + ".lora_a", a.astype(np.float16))
        w.add_tensor(weight + ".lora_b", np.ascontiguousarray(interleave(b, heads) if heads else b).astype(np.float16))
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


@torch.no_grad()
def read_gguf(path, cfg, changes):
    """Copies the matrices of a file into the changes of a model."""
    tensors = {t.name: np.array(t.data).astype(np.float32) for t in gguf.GGUFReader(path).tensors}
    for layer, weight, heads in layers(cfg):
        b = tensors[weight + ".lora_b"]
        changes[layer].a.copy_(torch.from_numpy(tensors[weight + ".lora_a"]))
        changes[layer].b.copy_(torch.from_numpy(np.array(deinterleave(b, heads) if heads else b)))


def peft_name(layer):
    _, block, part = layer.split(".", 2)
    return f"base_model.model.model.layers.{block}.{HF_NAMES[part]}"


def write_peft(folder, cfg, changes, alpha, rank, base):
    """Writes adapter_config.json and adapter_model.safetensors, rows in the order of Hugging Face's models."""
    os.makedirs(folder, exist_ok=True)
    tensors = {}
    for layer, _, _ in layers(cfg):
        tensors[peft_name(layer) + ".lora_A.weight"] = changes[layer].a.detach().contiguous()
        tensors[peft_name(layer) + ".lora_B.weight"] = changes[layer].b.detach().contiguous()
    save_file(tensors, os.path.join(folder, "adapter_model.safetensors"), metadata={"format": "pt"})
    config = dict(
        alpha_pattern={}, auto_mapping=None, base_model_name_or_path=base, bias="none", fan_in_fan_out=False,
        inference_mode=True, init_lora_weights=True, layers_pattern=None, layers_to_transform=None, lora_alpha=alpha,
        lora_dropout=0.0, modules_to_save=None, peft_type="LORA", r=rank, rank_pattern={}, revision=None,
        target_modules=sorted(name.rpartition(".")[2] for name in HF_NAMES.values()), task_type="CAUSAL_LM",
        use_dora=False, use_rslora=False)
    with open(os.path.join(folder, "adapter_config.json"), "w", encoding="utf-8") as f:
        json.dump(config, f, indent=2)
