// The keys of a GGUF file of which only the beginning is there.
#include <gtest/gtest.h>

#include "io/gguf_parse.h"
#include "tests/io/gguf_bytes.h"
#include "tests/support/errors.h"

namespace skald {
namespace {

test::GgufBytes three_keys() {
  test::GgufBytes file;
  file.head(/*tensors=*/5, /*pairs=*/3);
  file.key("general.architecture", 8).text("llama");
  file.key("llama.block_count", 4).number(uint32_t{7});
  file.key("tokenizer.ggml.model", 8).text("gpt2");
  return file;
}

TEST(GgufBeginning, GivesTheKeysThatAreWhole) {
  const std::string all = three_keys().str();
  size_t before = 0;
  for (size_t n = 24; n <= all.size(); ++n) {
    const Meta meta = gguf::parse_beginning(std::as_bytes(std::span(all).first(n)));
    EXPECT_GE(meta.entries().size(), before);
    before = meta.entries().size();
    EXPECT_EQ(meta.i64("llama.block_count", 7), 7);
  }
  EXPECT_EQ(before, 3u);
}

TEST(GgufBeginning, IsRefusedWhereItIsNone) {
  for (const std::string& text :
       {std::string("GGUF"), std::string("not a file of that kind"), three_keys().str().substr(0, 20)})
    EXPECT_THROW(gguf::parse_beginning(std::as_bytes(std::span(text))), Error) << text;
}

TEST(GgufBeginning, BelievesNoCount) {
  test::GgufBytes file;
  file.head(1, ~uint64_t{0}).key("a", 4).number(uint32_t{1});
  EXPECT_EQ(gguf::parse_beginning(file.span()).entries().size(), 1u);
}

}  // namespace
}  // namespace skald
