// Tokenizers of files with and without weights, and the table of tokens that people see.
#include "tools/vocab_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"
#include "tests/support/paths.h"
#include "tests/support/temp_dir.h"

namespace skald {
namespace {

using testing::HasSubstr;

TEST(LoadTokenizer, IsTheEmbeddedModelsWithoutAPath) { EXPECT_GT(load_tokenizer("", true)->vocab().size(), 256); }

TEST(LoadTokenizer, NeedsNoWeights) {
  const std::string path = (test::data_dir() / "golden/tokenizers/llama3/vocab.gguf").string();
  for (const bool mmap : {true, false}) EXPECT_GT(load_tokenizer(path, mmap)->vocab().size(), 0);
}

TEST(LoadTokenizer, NamesTheFileThatIsWrong) {
  EXPECT_THAT(test::error_of([] { load_tokenizer("/nonexistent.gguf", true); }).what(), HasSubstr("/nonexistent.gguf"));
  const test::TempDir dir;
  const std::string path = dir.write("bad.gguf", "not a model");
  EXPECT_THAT(test::error_of([&] { load_tokenizer(path, true); }).what(), HasSubstr("bad.gguf"));
}

TEST(TokenTable, HasALineForEachTokenSafeToShow) {
  const auto tokenizer = load_tokenizer("", true);
  const std::vector<TokenId> ids = tokenizer->encode("Once upon\n");
  const std::string table = token_table(*tokenizer, ids);
  EXPECT_EQ(std::ranges::count(table, '\n'), static_cast<int64_t>(ids.size()));
  EXPECT_THAT(table, HasSubstr("      0  "));
  EXPECT_THAT(table, HasSubstr("\" upon\""));
  EXPECT_THAT(table, HasSubstr("\\n"));
}

}  // namespace
}  // namespace skald
