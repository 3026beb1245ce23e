#include "convert/hf_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/errors.h"

namespace skald {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(HfConfig, KeysInAllTheirSpellings) {
  const json old = {{"n_embd", 8}, {"n_layer", 2}, {"n_head", 4}, {"n_positions", 16}};
  const HfConfig c(old);
  EXPECT_EQ(c.d_model(), 8);
  EXPECT_EQ(c.n_layers(), 2);
  EXPECT_EQ(c.n_heads(), 4);
  EXPECT_EQ(c.n_kv_heads(), 4) << "as many as there are heads, where nothing is said";
  EXPECT_EQ(c.d_ff(), 32) << "four times the model, where nothing is said";
  EXPECT_EQ(c.d_head(), 2);
  EXPECT_EQ(c.n_ctx(), 16);
}

TEST(HfConfig, NullIsAsGoodAsAbsent) {
  const json j = {{"head_dim", nullptr}, {"hidden_size", 8}, {"num_attention_heads", 2}, {"sliding_window", nullptr}};
  EXPECT_EQ(HfConfig(j).d_head(), 4);
  EXPECT_FALSE(HfConfig(j).has("sliding_window"));
  EXPECT_EQ(HfConfig(j).i64("sliding_window", 7), 7);
}

TEST(HfConfig, WrongTypesAndRangesAreErrorsThatNameTheKey) {
  const json j = {{"a", "x"}, {"b", -1}, {"c", 1.5}, {"d", 5e9}, {"e", 1e300}, {"f", 4.0}, {"g", {1, "x"}}, {"h", 1}};
  const HfConfig c(j);
  for (const char* key : {"a", "b", "c", "d"}) {
    const Error e = test::error_of([&] { c.i64(key); });
    EXPECT_EQ(e.code(), Errc::kBadFile);
    EXPECT_THAT(e.what(), HasSubstr(std::string("config.json: ") + key + ": want a whole number"));
  }
  EXPECT_EQ(c.i64("f"), 4) << "some write whole numbers so";
  EXPECT_EQ(test::error_of([&] { c.f32("e"); }).code(), Errc::kBadFile);
  EXPECT_EQ(test::error_of([&] { c.f32("a", 1); }).code(), Errc::kBadFile);
  EXPECT_EQ(test::error_of([&] { c.flag("c", true); }).code(), Errc::kBadFile);
  EXPECT_EQ(test::error_of([&] { c.str("h", ""); }).code(), Errc::kBadFile);
  EXPECT_EQ(test::error_of([&] { c.floats("g"); }).code(), Errc::kBadFile);
  EXPECT_EQ(test::error_of([&] { c.strings("g"); }).code(), Errc::kBadFile);
  EXPECT_EQ(test::error_of([&] { c.object("h"); }).code(), Errc::kBadFile);
  EXPECT_THAT(test::error_of([&] { c.i64({"z", "y"}); }).what(), HasSubstr("config.json: z or y is missing"));
}

TEST(HfConfig, SomeWriteFlagsAsNumbers) {
  const json j = {{"on", 4}, {"off", 0}};
  EXPECT_TRUE(HfConfig(j).flag("on", false));
  EXPECT_FALSE(HfConfig(j).flag("off", true));
}

TEST(HfConfig, DefaultsStandWhereItIsSilent) {
  const json j = {{"a", 1}, {"b", nullptr}};
  const json whole = HfConfig(j).over({{"a", 2}, {"b", 3}, {"c", 4}});
  EXPECT_EQ(HfConfig(whole).i64("a"), 1);
  EXPECT_FALSE(HfConfig(whole).has("b")) << "null is said";
  EXPECT_EQ(HfConfig(whole).i64("c"), 4);
}

TEST(HfConfig, NoHeadsDivideNothing) {
  const json j = {{"hidden_size", 8}, {"num_attention_heads", 0}};
  EXPECT_EQ(test::error_of([&] { HfConfig(j).d_head(); }).code(), Errc::kBadFile);
}

TEST(HfConfig, TextIsThePartOfAModelThatTakesPictures) {
  const json j = {{"hidden_size", 1}, {"text_config", {{"hidden_size", 8}}}};
  EXPECT_EQ(HfConfig(j).text().d_model(), 8);
  EXPECT_EQ(HfConfig(j["text_config"]).text().d_model(), 8);
  EXPECT_THAT(HfConfig(json{{"x", {1, 2.5}}}).floats("x"), ElementsAre(1, 2.5F));
}

}  // namespace
}  // namespace skald
