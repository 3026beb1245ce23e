#include "tests/convert/family_case.h"

namespace skald {
namespace {

using test::Back;
using test::expect_conversion;

void mpt(Back& b) {
  b.add("token_embd", "transformer.wte").add("output_norm", "transformer.norm_f");
  b.add("blk.#.attn_norm", "transformer.blocks.#.norm_1").add("blk.#.ffn_norm", "transformer.blocks.#.norm_2");
  b.add("blk.#.attn_qkv", "transformer.blocks.#.attn.Wqkv").add("blk.#.attn_output", "transformer.blocks.#.attn.out_proj");
  b.add("blk.#.ffn_up", "transformer.blocks.#.ffn.up_proj").add("blk.#.ffn_down", "transformer.blocks.#.ffn.down_proj");
}

TEST(HfFamilyMpt, ClampedProjections) {
  expect_conversion(
      {"mpt_clip", R"({"architectures": ["MPTForCausalLM"], "attn_config": {"alibi": true, "clip_qkv": 1}})", mpt});
}

}  // namespace
}  // namespace skald
