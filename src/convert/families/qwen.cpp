// Qwen, the first.
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kQwenClasses[] = {"QWenLMHeadModel"};

constexpr TensorRule kQwenTensors[] = {
    {"token_embd", "transformer.wte"},
    {"output_norm", "transformer.ln_f"},
    {"output", "lm_head"},
    {"blk.#.attn_norm", "transformer.h.#.ln_1"},
    {"blk.#.attn_qkv", "transformer.h.#.attn.c_attn"},
    {"blk.#.attn_output", "transformer.h.#.attn.c_proj"},
    {"blk.#.ffn_norm", "transformer.h.#.ln_2"},
    {"blk.#.ffn_up", "transformer.h.#.mlp.w1"},
    {"blk.#.ffn_gate", "transformer.h.#.mlp.w2"},
    {"blk.#.ffn_down", "transformer.h.#.mlp.c_proj"},
};

void describe_qwen(const HfConfig& c, Hyperparameters& out) {
  require_flag(c, "scale_attn_weights", true, true);
  for (const char* key : {"use_dynamic_ntk", "use_logn_attn"}) c.pass_over(key);  // beyond the trained context only
  decoder_keys(c, out);
  rope_keys(c, out, c.d_head());
}

}  // namespace

extern const HfFamily hf_family_qwen;
const HfFamily hf_family_qwen{.classes = kQwenClasses, .arch = "qwen", .describe = describe_qwen, .tensors = {kQwenTensors}};

}  // namespace skald
