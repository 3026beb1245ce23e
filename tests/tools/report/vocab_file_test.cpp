// Tokenizers of files with and without weights, and the table of tokens that people see.
#include "tools/report/vocab_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "tests/support/paths.h"
#include "tests/support/temp_dir.h"

namespace skald {
namespace {

using testing::HasSubstr;

TEST(LoadTokenizer, IsTheEmbeddedModelsWithoutAPath) { EXPECT_GT(load_tokenizer("")->vocab().size(), 256); }

TEST(LoadTokenizer, NeedsNoWeights) {
  const std::string path = (test::data_dir() / "golden/tokenizers/llama3/vocab.gguf").string();
  for (const bool mmap : {true, false}) EXPECT_GT(load_tokenizer(path, {.mmap = mmap})->vocab().size(), 0);
}

TEST(LoadTokenizer, TakesOverrides) {
  const auto with_bos = load_tokenizer("", {.override_kv = {"tokenizer.ggml.add_bos_token=bool:true"}});
  const auto without = load_tokenizer("", {.override_kv = {"tokenizer.ggml.add_bos_token=bool:false"}});
  EXPECT_EQ(with_bos->encode("a").size(), without->encode("a").size() + 1);
  const Error e = test::error_of([] { load_tokenizer("", {.override_kv = {"tokenizer.ggml.model=str:none"}}); });
  EXPECT_THAT(e.what(), HasSubstr("'tokenizer.ggml.model=str:none'"));
}

TEST(LoadTokenizer, NamesTheFileThatIsWrong) {
  EXPECT_THAT(test::error_of([] { load_tokenizer("/nonexistent.gguf"); }).what(), HasSubstr("/nonexistent.gguf"));
  const test::TempDir dir;
  const std::string path = dir.write("bad.gguf", "not a model");
  EXPECT_THAT(test::error_of([&] { load_tokenizer(path); }).what(), HasSubstr("bad.gguf"));
}

TEST(TokenTable, HasALineForEachTokenSafeToShow) {
  const auto tokenizer = load_tokenizer("");
  const std::vector<TokenId> ids = tokenizer->encode("Once upon\n");
  const std::string table = token_table(*tokenizer, ids);
  EXPECT_EQ(std::ranges::count(table, '\n'), static_cast<int64_t>(ids.size()));
  EXPECT_THAT(table, HasSubstr("      0  "));
  EXPECT_THAT(table, HasSubstr("\" upon\""));
  EXPECT_THAT(table, HasSubstr("\\n"));
}

}  // namespace
}  // namespace skald
