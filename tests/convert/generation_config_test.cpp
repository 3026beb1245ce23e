// generation_config.json as GGUF's keys.
#include "convert/generation_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/convert/tiny_folder.h"

namespace skald::generation_config_test {
namespace {

using nlohmann::json;

Meta defaults_of(const json& config) {
  test::TinyFolder folder;
  folder.put("generation_config.json", config);
  Meta meta;
  add_sampling_defaults(folder.open(), meta);
  return meta;
}

TEST(GenerationConfig, GivesLlamaCppsKeys) {
  const Meta meta = defaults_of({{"do_sample", true},
                                 {"temperature", 0.5},
                                 {"top_k", 20},
                                 {"top_p", 0.75},
                                 {"min_p", 0},
                                 {"typical_p", 0.25},
                                 {"repetition_penalty", 1.25},
                                 {"eos_token_id", 2}});
  EXPECT_EQ(meta.f32("general.sampling.temp"), 0.5F);
  EXPECT_EQ(meta.i64("general.sampling.top_k"), 20);
  EXPECT_EQ(meta.f32("general.sampling.top_p"), 0.75F);
  EXPECT_EQ(meta.f32("general.sampling.min_p"), 0);
  EXPECT_EQ(meta.f32("general.sampling.typical_p"), 0.25F);
  EXPECT_EQ(meta.f32("general.sampling.penalty_repeat"), 1.25F);
  EXPECT_EQ(meta.i64("general.sampling.penalty_last_n"), -1) << "it counts for the whole text";
  EXPECT_EQ(meta.entries().size(), 7u);
}

TEST(GenerationConfig, WithoutDrawsIsTemperatureZero) {
  const Meta meta = defaults_of({{"do_sample", false}, {"temperature", 0.5}, {"top_k", 20}, {"repetition_penalty", 1.25}});
  EXPECT_EQ(meta.f32("general.sampling.temp"), 0);
  EXPECT_FALSE(meta.has("general.sampling.top_k"));
  EXPECT_EQ(meta.f32("general.sampling.penalty_repeat"), 1.25F);
}

TEST(GenerationConfig, LeavesOutWhatCannotBeUsed) {
  EXPECT_TRUE(defaults_of({{"temperature", nullptr}, {"top_k", "many"}, {"top_p", json::array()}, {"do_sample", 3}})
                  .entries()
                  .empty());
  EXPECT_TRUE(defaults_of(json::array()).entries().empty());
  test::TinyFolder folder;
  folder.write("generation_config.json", "{\"temperature\": ");
  Meta meta;
  add_sampling_defaults(folder.open(), meta);
  EXPECT_TRUE(meta.entries().empty());
}

}  // namespace
}  // namespace skald::generation_config_test
