// The sizes of static caches as text and as JSON, of a shape and of a model.
#include "tools/report/kv_size.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "skald/model.h"
#include "tests/support/errors.h"

namespace skald {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr KvShape kLlama7B{.n_layers = 32, .n_kv_heads = 32, .d_head = 128, .context = 2048, .bits = 16};

TEST(KvSizeText, BeginsWithTheBytesAndSaysWhereTheyGo) {
  const std::string text = kv_size_text(static_kv_spec(kLlama7B, StaticReserve::kDouble));
  EXPECT_THAT(text, StartsWith("2,146,435,072 bytes\nlayers 32, KV heads 32 of 128, context 2048, 16 bits, reserve 2.0\n"));
  EXPECT_THAT(text, HasSubstr("| keys                          | 1,073,217,536 |\n"));
  EXPECT_THAT(text, HasSubstr("| largest layer                 |    67,076,096 |\n"));
  EXPECT_THAT(text, HasSubstr("| one token's keys and values   |       524,288 |\n"));
  EXPECT_THAT(kv_size_text(static_kv_spec(kLlama7B, StaticReserve::kOneAndHalf)), StartsWith("1,609,826,304 bytes\n"));
}

TEST(KvSizeText, NamesHeadsOnlyWhereAllLayersHaveTheSame) {
  StaticKvSpec spec = static_kv_spec(kLlama7B, StaticReserve::kDouble);
  for (AttentionState& layer : spec.layers) layer.d_v = 64;
  EXPECT_THAT(kv_size_text(spec), HasSubstr("KV heads 32 of 128 + 64, "));
  spec.layers[1].n_kv_heads = 8;
  EXPECT_THAT(kv_size_text(spec), HasSubstr("layers 32, context 2048"));
}

TEST(KvSizeJson, AddsUp) {
  StaticKvSpec spec =
      static_kv_spec({.n_layers = 3, .n_kv_heads = 2, .d_head = 8, .context = 33, .bits = 8}, StaticReserve::kOneAndHalf);
  spec.layers[2].n_kv_heads = 1;
  const nlohmann::json size = nlohmann::json::parse(kv_size_json(spec));
  EXPECT_EQ(size["bytes"], 2 * 5 * 48 * 8) << "K and V, 5 heads, 48 rows of 8";
  EXPECT_EQ(size["bytes"], size["key_bytes"].get<int64_t>() + size["value_bytes"].get<int64_t>());
  EXPECT_EQ(size["token_bytes"], 2 * 5 * 8);
  EXPECT_EQ(size["window_bytes"], 32 * 2 * 5 * 8);
  EXPECT_EQ(size["copied_bytes_per_token"], 2 * 2 * 5 * 8);
  EXPECT_EQ(size["context"], 33);
  EXPECT_EQ(size["bits"], 8);
  EXPECT_EQ(size["reserve"], 1.5);
  ASSERT_EQ(size["layers"].size(), 3u);
  int64_t layers = 0;
  for (const auto& layer : size["layers"]) layers += layer["bytes"].get<int64_t>();
  EXPECT_EQ(layers, size["bytes"]);
  EXPECT_EQ(size["layers"][2]["n_kv_heads"], 1);
  EXPECT_EQ(size["layers"][2]["d_k"], 8);
}

TEST(StaticKvSpecOfAModel, HasItsLayersAndItsContext) {
  const Model model = Model::embedded();
  const StaticKvSpec own = static_kv_spec(*model.loaded(), 0, 16, StaticReserve::kDouble);
  EXPECT_EQ(own.layers, attention_states(model.loaded()->states()));
  EXPECT_EQ(own.context, model.loaded()->n_ctx_train());
  const StaticKvSpec other = static_kv_spec(*model.loaded(), 64, 32, StaticReserve::kOneAndHalf);
  EXPECT_EQ(other.context, 64);
  EXPECT_EQ(other.element_bytes, 4);
  EXPECT_EQ(other.reserve, StaticReserve::kOneAndHalf);
}

TEST(StaticKvSpecOfAShape, RefusesLayersAndBitsThatCannotBe) {
  for (int64_t layers : {int64_t{-1}, int64_t{0}, int64_t{1} << 60}) {
    KvShape shape = kLlama7B;
    shape.n_layers = layers;
    const Error e = test::error_of([&] { static_kv_spec(shape, StaticReserve::kDouble); });
    EXPECT_EQ(e.code(), Errc::kBadInput);
    EXPECT_THAT(e.what(), HasSubstr("layers " + std::to_string(layers)));
  }
  for (int64_t bits : {0, 4, 12, 64, -8}) {
    KvShape shape = kLlama7B;
    shape.bits = bits;
    const Error e = test::error_of([&] { static_kv_spec(shape, StaticReserve::kDouble); });
    EXPECT_EQ(e.code(), Errc::kBadInput);
    EXPECT_THAT(e.what(), HasSubstr("bits " + std::to_string(bits)));
  }
}

}  // namespace
}  // namespace skald
