#include "tests/convert/family_case.h"

namespace skald {
namespace {

using test::attention;
using test::Back;
using test::expect_conversion;
using test::gated_ffn;

void olmo2(Back& b) {
  b.add("blk.#.attn_q_norm", "model.layers.#.self_attn.q_norm").add("blk.#.attn_k_norm", "model.layers.#.self_attn.k_norm");
  b.add("blk.#.post_attention_norm", "model.layers.#.post_attention_layernorm");
  b.add("blk.#.post_ffw_norm", "model.layers.#.post_feedforward_layernorm");
  attention(b, {});
  gated_ffn(b);
}

TEST(HfFamilyOlmo2, NormsAfterTheBlocks) {
  expect_conversion({"olmo2", R"({"architectures": ["Olmo2ForCausalLM"]})", olmo2});
}

}  // namespace
}  // namespace skald
