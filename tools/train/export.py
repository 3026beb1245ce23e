"""Write the trained model as a GGUF v3 file (architecture llama, Q8_0), and reference outputs.

    python export.py --run build/run/last.pt --tokenizer build/tokenizer.json --out ../../assets/skald-tiny

makes skald-tiny.gguf and skald-tiny.json. The JSON holds prompts with the greedy
continuation that the model gives when run in float32 on the weights read back
from that GGUF file, so that an engine can be compared with it.
"""

import argparse
import json
import os

import gguf
import numpy as np
import torch

import tokenizer
from model import Config, Llama

Q8_0 = gguf.GGMLQuantizationType.Q8_0
PROMPTS = [
    "Once upon a time",
    "One day, a little fox named Pip",
    "There was once a brave girl called Mia. She lived near the river.",
    "A long time ago, near the old mill, there lived a shy hedgehog named Bo. One windy day,",
    "\"Where is my red kite?\" asked Tom.",
]
BLOCK_NAMES = {
    "attn_norm": "attn_norm", "attn.q": "attn_q", "attn.k": "attn_k", "attn.v": "attn_v", "attn.o": "attn_output",
    "ffn_norm": "ffn_norm", "ffn.gate": "ffn_gate", "ffn.up": "ffn_up", "ffn.down": "ffn_down",
}


def interleave(weight, heads):
    """Reorder query/key rows so that rotary pairs (i, i + half) become neighbours (2i, 2i + 1)."""
    rows, cols = weight.shape
    return weight.reshape(heads, 2, rows // heads // 2, cols).swapaxes(1, 2).reshape(rows, cols)


def deinterleave(weight, heads):
    """The inverse of interleave."""
    rows, cols = weight.shape
    return weight.reshape(heads, rows // heads // 2, 2, cols).swapaxes(1, 2).reshape(rows, cols)


def gguf_names(cfg):
    """(name in the model, name in the file, heads to interleave or 0), in file order."""
    yield "embed.weight", "token_embd.weight", 0
    for i in range(cfg.layers):
        for ours, theirs in BLOCK_NAMES.items():
            heads = {"attn.q": cfg.heads, "attn.k": cfg.kv_heads}.get(ours, 0)
            yield f"blocks.{i}.{ours}.weight", f"blk.{i}.{theirs}.weight", heads
    yield "norm.weight", "output_norm.weight", 0


def add_metadata(w, cfg, name, license_name):
    w.add_name(name)
    w.add_description("A small story model trained from scratch on synthetic children's stories")
    w.add_license(license_name)
    w.add_size_label("5M")
    w.add_languages(["en"])
    w.add_file_type(gguf.LlamaFileType.MOSTLY_Q8_0)
    w.add_quantization_version(gguf.GGML_QUANT_VERSION)
    w.add_context_length(cfg.n_ctx)
    w.add_block_count(cfg.layers)
    w.add_embedding_length(cfg.d_model)
    w.add_feed_forward_length(cfg.d_ff)
    w.add_head_count(cfg.heads)
    w.add_head_count_kv(cfg.kv_heads)
    if cfg.heads * cfg.d_head != cfg.d_model:
        w.add_key_length(cfg.d_head)
        w.add_value_length(cfg.d_head)
    w.add_layer_norm_rms_eps(cfg.norm_eps)
    w.add_rope_dimension_count(cfg.d_head)
    w.add_rope_freq_base(cfg.rope_base)
    w.add_vocab_size(cfg.vocab)


def add_tokenizer(w, path):
    """The byte-level BPE vocabulary, read from the tokenizer's own JSON."""
    with open(path, encoding="utf-8") as f:
        bpe = json.load(f)["model"]
    tokens = sorted(bpe["vocab"], key=bpe["vocab"].get)
    end = bpe["vocab"][tokenizer.END]
    merges = [m if isinstance(m, str) else " ".join(m) for m in bpe["merges"]]
    types = [gguf.TokenType.CONTROL if t == tokenizer.END else gguf.TokenType.NORMAL for t in tokens]
    w.add_tokenizer_model("gpt2")
    w.add_tokenizer_pre("gpt-2")
    w.add_token_list(tokens)
    w.add_token_types(types)
    w.add_token_merges(merges)
    w.add_bos_token_id(end)
    w.add_eos_token_id(end)
    w.add_add_bos_token(True)
    w.add_add_space_prefix(False)


def write_gguf(path, cfg, weights, tokenizer_path, name, license_name):
    w = gguf.GGUFWriter(path, "llama")
    add_metadata(w, cfg, name, license_name)
    add_tokenizer(w, tokenizer_path)
    for ours, theirs, heads in gguf_names(cfg):
        tensor = weights[ours].float().numpy()
        if tensor.ndim == 1:
            w.add_tensor(theirs, tensor)
            continue
        tensor = interleave(tensor, heads) if heads else tensor
        w.add_tensor(theirs, gguf.quants.quantize(np.ascontiguousarray(tensor), Q8_0), raw_dtype=Q8_0)
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


def read_back(path, cfg):
    """The model with the weights of a GGUF file, dequantised to float32."""
    tensors = {t.name: t for t in gguf.GGUFReader(path).tensors}
    state = {}
    for ours, theirs, heads in gguf_names(cfg):
        t = tensors[theirs]
        value = gguf.quants.dequantize(t.data, t.tensor_type).astype(np.float32)
        state[ours] = torch.from_numpy(np.array(deinterleave(value, heads) if heads else value))
    model = Llama(cfg)
    model.load_state_dict(state)
    return model.eval()


@torch.no_grad()
def greedy(model, ids, count):
    """`count` greedy tokens (past any end token) with the margin top1 - top2 of each step."""
    ids, margins = list(ids), []
    for _ in range(count):
        best = model(torch.tensor([ids]))[0, -1].topk(2)
        margins.append(round(float(best.values[0] - best.values[1]), 5))
        ids.append(int(best.indices[0]))
    return ids[-count:], margins


@torch.no_grad()
def reference(model, tok, count):
    """Reference cases: prompt ids (with the leading BOS), greedy ids, margins, first logits."""
    end, cases = tok.token_to_id(tokenizer.END), []
    for prompt in PROMPTS:
        ids = [end] + tok.encode(prompt).ids
        out, margins = greedy(model, ids, count)
        top = model(torch.tensor([ids]))[0, -1].topk(5)
        cases.append(dict(prompt=prompt, ids=ids, greedy=out, margins=margins, text=tok.decode(out),
                          top_ids=top.indices.tolist(), top_logits=[round(v, 5) for v in top.values.tolist()]))
    return cases


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--run", default="build/run/last.pt")
    p.add_argument("--tokenizer", default="build/tokenizer.json")
    p.add_argument("--out", default="../../assets/skald-tiny", help="path without the extension")
    p.add_argument("--name", default="skald-tiny")
    p.add_argument("--license", default="apache-2.0")
    p.add_argument("--greedy", type=int, default=64, help="reference tokens per prompt")
    args = p.parse_args()
    state = torch.load(args.run, map_location="cpu")
    cfg, path = Config(**state["config"]), args.out + ".gguf"
    write_gguf(path + ".new", cfg, state["model"], args.tokenizer, args.name, args.license)
    os.replace(path + ".new", path)
    cases = reference(read_back(path, cfg), tokenizer.load(args.tokenizer), args.greedy)
    about = "greedy ids and margins (top1 - top2 logit) in float32 on the dequantised weights of the GGUF file"
    with open(args.out + ".json", "w", encoding="utf-8") as f:
        json.dump(dict(model=os.path.basename(path), about=about, step=state["step"], cases=cases), f, indent=1)
    print(f"{path}: {os.path.getsize(path)} bytes, step {state['step']}, {state['tokens']} tokens seen")
    for case in cases:
        print(f"{case['prompt']}|{case['text']}\n")


if __name__ == "__main__":
    main()
