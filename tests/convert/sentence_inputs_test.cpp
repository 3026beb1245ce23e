#include "convert/sentence_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/convert/tiny_folder.h"
#include "tests/support/errors.h"

namespace skald::sentence_inputs_test {
namespace {

using nlohmann::json;
using test::TinyFolder;
using ::testing::HasSubstr;

constexpr const char *kTransformer = "sentence_bert_config.json", *kWhole = "config_sentence_transformers.json";

Meta described(const TinyFolder& folder) {
  Meta meta;
  describe_sentence_inputs(folder.open(), meta);
  return meta;
}

struct SentenceFolder : TinyFolder {
  SentenceFolder(const char* file, const json& content) { put("modules.json", json::array()).put(file, content); }
};

TEST(SentenceInputs, AreReadFromBothFiles) {
  SentenceFolder folder(kTransformer, {{"do_lower_case", true}, {"max_seq_length", 256}});
  folder.put(kWhole, {{"prompts", {{"query", "query: "}, {"none", ""}}}, {"default_prompt_name", "query"}});
  const Meta meta = described(folder);
  EXPECT_TRUE(meta.flag("sentence_transformers.do_lower_case", false));
  EXPECT_EQ(meta.i64("sentence_transformers.max_seq_length"), 256);
  EXPECT_EQ(meta.str("sentence_transformers.prompt"), "query: ");
}

TEST(SentenceInputs, OfOlderFoldersAreReadFromTheModelsOwnFile) {
  EXPECT_EQ(described(SentenceFolder("sentence_roberta_config.json", {{"max_seq_length", 128}}))
                .i64("sentence_transformers.max_seq_length"),
            128);
}

TEST(SentenceInputs, ThatChangeNothingAreNotWritten) {
  SentenceFolder folder(kTransformer, {{"do_lower_case", false}, {"max_seq_length", nullptr}});
  folder.put(kWhole, {{"prompts", {{"query", "query: "}}}, {"default_prompt_name", nullptr}});
  EXPECT_TRUE(described(folder).entries().empty());
  TinyFolder plain;  // no modules.json: another program's files
  plain.put(kTransformer, {{"do_lower_case", true}});
  EXPECT_TRUE(described(plain).entries().empty());
}

TEST(SentenceInputs, ThatCannotBeAreRefusedByTheirKey) {
  const auto bad = [](const char* file, const json& content, const char* says) {
    const Error e = test::error_of([&] { described(SentenceFolder(file, content)); });
    EXPECT_EQ(e.code(), Errc::kBadFile) << e.what();
    EXPECT_THAT(e.what(), testing::AllOf(HasSubstr(file), HasSubstr(says)));
  };
  bad(kTransformer, {{"max_seq_length", 0}}, "max_seq_length");
  bad(kTransformer, {{"max_seq_length", "many"}}, "max_seq_length");
  bad(kTransformer, {{"do_lower_case", "yes"}}, "do_lower_case");
  bad(kTransformer, json::array(), "an object");
  bad(kWhole, {{"default_prompt_name", "query"}}, "default_prompt_name");
  bad(kWhole, {{"default_prompt_name", "query"}, {"prompts", {{"passage", "p"}}}}, "default_prompt_name");
  bad(kWhole, {{"default_prompt_name", "query"}, {"prompts", {{"query", 3}}}}, "prompts.query");
}

}  // namespace
}  // namespace skald::sentence_inputs_test
