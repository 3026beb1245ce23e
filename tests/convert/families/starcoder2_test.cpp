#include "tests/convert/family_case.h"

namespace skald {
namespace {

using test::attention;
using test::Back;
using test::expect_conversion;

void starcoder2(Back& b) {
  attention(b, {});
  b.add("blk.#.ffn_up", "model.layers.#.mlp.c_fc").add("blk.#.ffn_down", "model.layers.#.mlp.c_proj");
}

TEST(HfFamilyStarCoder2, WindowOnAllLayers) {
  expect_conversion({"starcoder2", R"({"architectures": ["Starcoder2ForCausalLM"], "sliding_window": 64,
      "tie_word_embeddings": false})",
                     starcoder2});
}

}  // namespace
}  // namespace skald
