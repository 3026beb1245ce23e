#include "tests/convert/family_case.h"

namespace skald {
namespace {

using test::attention;
using test::Back;
using test::expect_conversion;
using test::gated_ffn;

void cohere(Back& b) {
  attention(b);
  gated_ffn(b);
  b.add("blk.#.attn_q_norm", "model.layers.#.self_attn.q_norm").add("blk.#.attn_k_norm", "model.layers.#.self_attn.k_norm");
}

TEST(HfFamilyCohere, CommandRSaysElsewhereForHowManyPositionsItIs) {
  expect_conversion({"command_r", R"({"architectures": ["CohereForCausalLM"], "logit_scale": 0.5,
      "max_position_embeddings": 8, "model_max_length": 256})",
                     cohere});
}

TEST(HfFamilyCohere, CommandRPlusHasNormsOfHeads) {
  expect_conversion({"command_r_plus", R"({"architectures": ["CohereForCausalLM"], "logit_scale": 0.5})", cohere});
}

TEST(HfFamilyCohere, Cohere2) {
  expect_conversion({"cohere2", R"({"architectures": ["Cohere2ForCausalLM"], "logit_scale": 0.5, "sliding_window": 64,
      "sliding_window_pattern": 4, "rotary_pct": 1.0})",
                     cohere});
}

}  // namespace
}  // namespace skald
