#include "convert/tokenizers/pre_tokenizer_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "convert/tokenizers/regex_form.h"
#include "tests/support/errors.h"
#include "text/pre_tokenizer_table.h"

namespace skald {
namespace {

using ::testing::HasSubstr;

PreTokenizerQuery query_of(const PreTokenizerSpec& spec) {
  PreTokenizerQuery out{.ignore_merges = spec.ignore_merges, .nfc = spec.nfc};
  for (std::string_view pattern : spec.patterns) out.patterns.push_back(regex_form(pattern));
  return out;
}

TEST(PreTokenizerName, FindsEveryEntryOfTheTable) {
  for (const PreTokenizerSpec& spec : pre_tokenizers()) {
    const PreTokenizerSpec* found = find_pre_tokenizer(pre_tokenizer_name(query_of(spec), {}));
    ASSERT_TRUE(found);
    EXPECT_EQ(found->names, spec.names);
  }
}

TEST(PreTokenizerName, FindsExpressionsThatTheTableHasRewritten) {
  const auto name = [](const std::vector<std::string>& patterns) {
    PreTokenizerQuery query;
    for (const std::string& p : patterns) query.patterns.push_back(regex_form(p));
    return pre_tokenizer_name(query, {});
  };
  EXPECT_EQ(name({" ?[^(\\s|[.,!?\xE2\x80\xA6\xE3\x80\x82\xEF\xBC\x8C\xE3\x80\x81\xE0\xA5\xA4\xDB\x94\xD8\x8C])]+"}),
            "bloom");
  EXPECT_EQ(name({R"(\p{N}+)", R"((?=(\d{3})+(?!\d)))"}), "superbpe");
  const std::string punctuation = R"([\p{P}\$\+<=>\^~\|`]+)";
  const std::string words = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";
  EXPECT_EQ(name({punctuation, words, R"(\p{N}+)", "[0-9][0-9][0-9]"}), "falcon");
}

TEST(PreTokenizerName, OfEqualNamesIsTheModelsOwn) {
  const PreTokenizerQuery gpt2 = query_of(*find_pre_tokenizer("gpt-2"));
  EXPECT_EQ(pre_tokenizer_name(gpt2, {.name = "", .model_type = "something"}), "gpt-2");
  EXPECT_EQ(pre_tokenizer_name(gpt2, {.name = "", .model_type = "phi"}), "phi-2");
  EXPECT_EQ(pre_tokenizer_name(gpt2, {.name = "", .model_type = "exaone4"}), "exaone4");
  const PreTokenizerQuery glm = query_of(*find_pre_tokenizer("glm4"));
  EXPECT_EQ(pre_tokenizer_name(glm, {.name = "", .model_type = "glm4"}), "glm4");
  EXPECT_EQ(pre_tokenizer_name_like("gpt-2", {.name = "", .model_type = "phi"}), "phi-2");
}

TEST(PreTokenizerName, TellsApartHowMergesAndComposedCharactersAreTreated) {
  PreTokenizerQuery query = query_of(*find_pre_tokenizer("llama-bpe"));
  EXPECT_EQ(pre_tokenizer_name(query, {}), "llama-bpe");
  query.ignore_merges = false;
  EXPECT_EQ(pre_tokenizer_name(query, {}), "dbrx");
  query = query_of(*find_pre_tokenizer("qwen2"));
  query.nfc = false;
  EXPECT_EQ(find_pre_tokenizer(pre_tokenizer_name(query, {})), find_pre_tokenizer("stablelm2"));
}

TEST(PreTokenizerName, ShowsTheExpressionsThatNothingMatches) {
  const Error error = test::error_of([] { pre_tokenizer_name({.patterns = {"[a-z]+x"}}, {}); });
  EXPECT_EQ(error.code(), Errc::kUnsupported);
  EXPECT_THAT(error.what(), HasSubstr("[a-z]+x"));
  EXPECT_THAT(error.what(), HasSubstr("convert.pre_tokenizer"));
  PreTokenizerQuery query = query_of(*find_pre_tokenizer("gpt-2"));
  query.other_steps = {"Whitespace"};
  EXPECT_THAT(test::error_of([&] { pre_tokenizer_name(query, {}); }).what(), HasSubstr("Whitespace"));
}

TEST(PreTokenizerName, MayBeChosen) {
  EXPECT_EQ(pre_tokenizer_name({.patterns = {"[a-z]+x"}}, {.name = "viking", .model_type = ""}), "viking");
  const Error error = test::error_of([] { pre_tokenizer_name({}, {.name = "viking2", .model_type = ""}); });
  EXPECT_EQ(error.code(), Errc::kBadInput);
  EXPECT_THAT(error.what(), HasSubstr("viking2"));
}

}  // namespace
}  // namespace skald
