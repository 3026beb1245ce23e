#include "tests/convert/family_case.h"

namespace skald {
namespace {

using test::attention;
using test::Back;
using test::expect_conversion;
using test::gated_ffn;

void stablelm(Back& b) {
  attention(b, {});
  b.add("blk.#.attn_q_norm", "model.layers.#.self_attn.q_layernorm.norms.@");
  b.add("blk.#.attn_k_norm", "model.layers.#.self_attn.k_layernorm.norms.@");
  gated_ffn(b);
}

TEST(HfFamilyStableLm, FormOfStableLm3B) {
  expect_conversion({"stablelm", R"({"architectures": ["StableLMEpochForCausalLM"], "layer_norm_eps": null, "norm_eps": 1e-5,
      "rope_pct": 0.5, "model_type": "stablelm_epoch"})",
                     stablelm});
}

TEST(HfFamilyStableLm, NormsOfHeadsAndParallelBlocks) {
  expect_conversion({"stablelm2_12b", R"({"architectures": ["StableLmForCausalLM"], "partial_rotary_factor": 0.5,
      "use_parallel_residual": true})",
                     stablelm});
}

}  // namespace
}  // namespace skald
