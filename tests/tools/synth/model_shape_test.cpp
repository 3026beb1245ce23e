// The list of shapes, unknown names, and the metadata.
#include "tools/synth/model_shape.h"
#include "tools/synth/shape_extras.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"

namespace skald {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;

TEST(ModelShape, TheUsualOnesAreKnown) {
  EXPECT_THAT(shape_names(), AllOf(Contains("llama-2-7b"), Contains("llama-3.2-1b"), Contains("qwen2.5-0.5b")));
  for (const std::string& name : shape_names()) EXPECT_EQ(find_shape(name).name, name);
}

TEST(ModelShape, AnUnknownOneIsNamedBesideTheKnownOnes) {
  const Error e = test::error_of([] { find_shape("llama-9"); });
  EXPECT_EQ(e.code(), Errc::kBadInput);
  EXPECT_THAT(e.what(), AllOf(HasSubstr("'llama-9'"), HasSubstr("llama-2-7b"), HasSubstr("qwen2.5-7b")));
}

TEST(ModelShape, CanHaveFewerLayers) {
  EXPECT_EQ(find_shape("llama-2-7b", 3).n_layers, 3);
  EXPECT_EQ(find_shape("llama-2-7b", 0).n_layers, 32);
  for (int64_t n : {-1, 33}) {
    const Error e = test::error_of([n] { find_shape("llama-2-7b", n); });
    EXPECT_EQ(e.code(), Errc::kBadInput);
    EXPECT_THAT(e.what(), AllOf(HasSubstr("llama-2-7b has 32 layers"), HasSubstr("got " + std::to_string(n))));
  }
}

TEST(ModelShape, HyperparametersSayAllThatEnginesAskFor) {
  for (const std::string& name : shape_names()) {
    const ModelShape shape = find_shape(name);
    const Meta meta = hyperparameters(shape);
    EXPECT_EQ(meta.str("general.name"), name);
    const MetaView m(meta, meta.str("general.architecture"));
    EXPECT_EQ(m.i64("vocab_size"), shape.n_vocab);
    EXPECT_EQ(m.i64("block_count"), shape.n_layers);
    EXPECT_EQ(m.i64("context_length"), shape.n_ctx);
    EXPECT_EQ(m.i64("embedding_length"), shape.d_model);
    EXPECT_EQ(m.f32("rope.freq_base"), shape.theta);
    if (!find_extras(shape.arch)) {  // which may have other sizes in each layer
      EXPECT_EQ(m.i64("feed_forward_length"), shape.d_ff);
      EXPECT_EQ(m.i64("attention.head_count") % m.i64("attention.head_count_kv"), 0);
      EXPECT_EQ(m.i64("attention.key_length"), shape.d_head);
      EXPECT_EQ(m.i64("attention.value_length"), shape.d_head);
      EXPECT_EQ(m.i64("rope.dimension_count"), shape.d_head);
    }
    EXPECT_EQ(m.has("attention.sliding_window"), shape.window > 0);
    EXPECT_EQ(m.i64("expert_count", 0), shape.n_experts);
    EXPECT_EQ(m.i64("expert_used_count", 0), shape.n_experts_used);
    EXPECT_EQ(m.i64("expert_feed_forward_length", 0), shape.d_expert);
  }
}

}  // namespace
}  // namespace skald
