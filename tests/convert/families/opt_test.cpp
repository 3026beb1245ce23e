#include "tests/convert/family_case.h"

namespace skald {
namespace {

using test::Back;
using test::expect_conversion;

void opt(Back& b) {
  b.add("token_embd", "model.decoder.embed_tokens");
  b.add("position_embd", "model.decoder.embed_positions", test::behind_rows(2));
  b.add("project_in", "model.decoder.project_in").add("project_out", "model.decoder.project_out");
  b.add("output_norm", "model.decoder.final_layer_norm").add("output", "lm_head");
  b.add("blk.#.attn_norm", "model.decoder.layers.#.self_attn_layer_norm");
  b.add("blk.#.attn_q", "model.decoder.layers.#.self_attn.q_proj");
  b.add("blk.#.attn_k", "model.decoder.layers.#.self_attn.k_proj");
  b.add("blk.#.attn_v", "model.decoder.layers.#.self_attn.v_proj");
  b.add("blk.#.attn_output", "model.decoder.layers.#.self_attn.out_proj");
  b.add("blk.#.ffn_norm", "model.decoder.layers.#.final_layer_norm");
  b.add("blk.#.ffn_up", "model.decoder.layers.#.fc1").add("blk.#.ffn_down", "model.decoder.layers.#.fc2");
}

TEST(HfFamilyOpt, PositionsAfterTwoRowsOfNone) {
  expect_conversion({"opt", R"({"architectures": ["OPTForCausalLM"]})", opt});
}

TEST(HfFamilyOpt, NarrowEmbeddingsAndNormsAfterTheBlocks) {
  expect_conversion({"opt_350m", R"({"architectures": ["OPTForCausalLM"], "do_layer_norm_before": false})", opt});
}

}  // namespace
}  // namespace skald
