// Seed-OSS 36B.
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kClasses[] = {"SeedOssForCausalLM"};

constexpr TensorRule kNorms[] = {
    {"blk.#.attn_norm", "model.layers.#.input_layernorm"},
    {"blk.#.post_attention_norm", "model.layers.#.post_attention_layernorm"},
};

void describe(const HfConfig& c, Hyperparameters& out) {
  decoder_keys(c, out);
  rope_keys(c, out, c.d_head());
}

}  // namespace

extern const HfFamily hf_family_seed_oss;
const HfFamily hf_family_seed_oss{
    .classes = kClasses, .arch = "seed_oss", .describe = describe, .tensors = {kOuter, kNorms, kAttention, kGatedFfn}};

}  // namespace skald
