// Files of a repository as models, and which one is meant.
#include "hub/hub_model.h"

#include <gtest/gtest.h>

#include "hub/quant_tag.h"
#include "tests/support/errors.h"

namespace skald {
namespace {

const HubRepo kRepo{"u", "r"};

std::vector<HubModel> models(std::initializer_list<std::pair<const char*, int64_t>> files) {
  std::vector<HubFile> all;
  for (const auto& [path, size] : files) all.push_back({path, size, std::string(64, 'a')});
  return models_of(all);
}

std::string chosen(const std::vector<HubModel>& all, const char* name, int64_t memory) {
  return choose_model(all, parse_hub_name(name), [&](const HubModel& m) { return m.bytes() < memory; }).path();
}

Error error(const std::vector<HubModel>& all, const char* name, int64_t memory = 1000) {
  return test::error_of([&] { chosen(all, name, memory); });
}

TEST(QuantTag, IsTheTypeInAName) {
  for (const auto& [path, tag] : {std::pair{"Llama-3.2-1B-Instruct-Q4_K_M.gguf", "Q4_K_M"},
                                  {"tinyllama-1.1b-chat-v1.0.Q8_0.gguf", "Q8_0"},
                                  {"Qwen3-8B-UD-Q4_K_XL.gguf", "UD-Q4_K_XL"},
                                  {"gemma-2b-it-q4_k_m.gguf", "Q4_K_M"},
                                  {"phi_q5_k_s.gguf", "Q5_K_S"},
                                  {"Phi-3-mini-4k-instruct-q4.gguf", "Q4"},
                                  {"model-IQ4_XS.gguf", "IQ4_XS"},
                                  {"x-TQ1_0.gguf", "TQ1_0"},
                                  {"gpt-oss-20b-MXFP4.gguf", "MXFP4"},
                                  {"gpt-oss-mxfp4_moe.gguf", "MXFP4_MOE"},
                                  {"a-BF16.gguf", "BF16"},
                                  {"ggml-model-f16.gguf", "F16"},
                                  {"Q4_K_M/model.gguf", "Q4_K_M"},
                                  {"UD-Q2_K_XL/x-UD-Q2_K_XL.gguf", "UD-Q2_K_XL"},
                                  {"Qwen2.5-7B.gguf", ""},
                                  {"model.gguf", ""},
                                  {"Q1000-model.gguf", ""},
                                  {"quick.gguf", ""}})
    EXPECT_EQ(quant_tag(path), tag) << path;
}

TEST(QuantTag, KnowsWhichAreLargerThanQ8) {
  for (const char* tag : {"Q8_0", "Q4_K_M", "IQ1_S", "MXFP4", "UD-Q4_K_XL"}) EXPECT_TRUE(up_to_q8_0(tag)) << tag;
  for (const char* tag : {"F16", "BF16", "F32", "", "UD-Q8_K_XL", "Q8_K"}) EXPECT_FALSE(up_to_q8_0(tag)) << tag;
}

TEST(HubModels, AreWholeShardsAndSingleFiles) {
  const auto all = models({{"m-Q8_0-00002-of-00002.gguf", 5},
                           {"m-Q8_0-00001-of-00002.gguf", 7},
                           {"m-Q4_0.gguf", 3},
                           {"mmproj-F16.gguf", 2},
                           {"imatrix_u.gguf", 1},
                           {"m-F16-00001-of-00003.gguf", 9}});
  ASSERT_EQ(all.size(), 5u);
  const auto& shards = choose_model(all, parse_hub_name("u/r:Q8_0"), {});
  EXPECT_EQ(shards.files[0].path, "m-Q8_0-00001-of-00002.gguf");
  EXPECT_EQ(shards.files[1].path, "m-Q8_0-00002-of-00002.gguf");
  EXPECT_EQ(shards.bytes(), 12);
  EXPECT_EQ(&choose_model(all, parse_hub_name("u/r/m-Q8_0-00002-of-00002.gguf"), {}), &shards);
  const Error e = error(all, "u/r:F16");
  EXPECT_NE(std::string(e.what()).find("2 of 3 shards are missing"), std::string::npos) << e.what();
  EXPECT_EQ(chosen(all, "u/r/mmproj-F16.gguf", 0), "mmproj-F16.gguf");
}

TEST(Choice, OfATagIsTheOneThatHasIt) {
  const auto all = models(
      {{"m-Q4_K_M.gguf", 4}, {"m-Q8_0.gguf", 8}, {"m-UD-Q4_K_XL.gguf", 5}, {"a/x-Q2_K.gguf", 2}, {"b/x-Q2_K.gguf", 2}});
  EXPECT_EQ(chosen(all, "u/r:q8_0", 0), "m-Q8_0.gguf");
  EXPECT_EQ(chosen(all, "u/r:Q4_K_XL", 0), "m-UD-Q4_K_XL.gguf");
  EXPECT_EQ(error(all, "u/r:Q3_K").code(), Errc::kNotFound);
  EXPECT_NE(std::string(error(all, "u/r:Q3_K").what()).find(":Q8_0"), std::string::npos);
  EXPECT_NE(std::string(error(all, "u/r:Q2_K").what()).find("several"), std::string::npos);
  EXPECT_EQ(chosen(all, "u/r/b/x-Q2_K.gguf", 0), "b/x-Q2_K.gguf");
  EXPECT_EQ(error(all, "u/r/c.gguf").code(), Errc::kNotFound);
}

TEST(Choice, WithoutATagIsQ4KMElseTheLargestThatFits) {
  const auto all =
      models({{"m-Q4_K_M.gguf", 40}, {"m-Q8_0.gguf", 80}, {"m-Q2_K.gguf", 20}, {"m-F16.gguf", 160}, {"mmproj-F16.gguf", 1}});
  EXPECT_EQ(chosen(all, "u/r", 1000), "m-Q4_K_M.gguf");
  EXPECT_EQ(chosen(all, "u/r", 30), "m-Q2_K.gguf");
  EXPECT_EQ(error(all, "u/r", 10).code(), Errc::kNoMemory);
  const auto others = models({{"m-Q6_K.gguf", 60}, {"m-Q8_0.gguf", 80}, {"m-Q2_K.gguf", 20}, {"m-BF16.gguf", 160}});
  EXPECT_EQ(chosen(others, "u/r", 1000), "m-Q8_0.gguf");
  EXPECT_EQ(chosen(others, "u/r", 70), "m-Q6_K.gguf");
}

TEST(Choice, OfOneModelIsThat) {
  EXPECT_EQ(chosen(models({{"model.gguf", 40}, {"mmproj.gguf", 1}}), "u/r", 1), "model.gguf");
  EXPECT_EQ(chosen(models({{"model-F32.gguf", 40}}), "u/r", 1000), "model-F32.gguf");
  EXPECT_EQ(error(models({{"a-F32.gguf", 40}, {"b-F16.gguf", 20}}), "u/r").code(), Errc::kNotFound);
  EXPECT_EQ(error(models({{"mmproj.gguf", 1}}), "u/r").code(), Errc::kNotFound);
  EXPECT_NE(std::string(error(models({{"a-Q4_K_M.gguf", 4}, {"b-Q4_K_M.gguf", 4}}), "u/r").what()).find("several"),
            std::string::npos);
}

TEST(ModelName, IsByTagWhereThatIsEnough) {
  const auto all = models({{"m-Q4_K_M.gguf", 4}, {"a/x-Q2_K.gguf", 2}, {"b/x-Q2_K.gguf", 2}, {"plain.gguf", 1}});
  std::vector<std::string> names;
  for (const HubModel& m : all) names.push_back(name_of(kRepo, m, all).text());
  EXPECT_EQ(names, (std::vector<std::string>{"u/r/plain.gguf", "u/r/a/x-Q2_K.gguf", "u/r/b/x-Q2_K.gguf", "u/r:Q4_K_M"}));
}

}  // namespace
}  // namespace skald
