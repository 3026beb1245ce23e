#include "convert/tokenizers/tiktoken.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "convert/tokenizers/base64.h"
#include "tests/support/errors.h"

namespace skald {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(Base64, IsReadWithAndWithoutPadding) {
  EXPECT_EQ(base64_bytes(""), "");
  EXPECT_EQ(base64_bytes("aGk="), "hi");
  EXPECT_EQ(base64_bytes("aGk"), "hi");
  EXPECT_EQ(base64_bytes("IA=="), " ");
  EXPECT_EQ(base64_bytes("/+8="), "\xFF\xEF");
  for (const char* text : {"a", "a===", "aGk=x", "a k=", "aG\nk"}) EXPECT_FALSE(base64_bytes(text)) << text;
}

// a b c ab abc " " " a", not in order.
constexpr std::string_view kRanks = "YWI= 3\nYQ== 0\r\nYg== 1\nYw== 2\n\nYWJj 4\nIA== 5\nIGE= 6\n";

TEST(Tiktoken, FindsMergesAgain) {
  EXPECT_TRUE(is_tiktoken(kRanks));
  const TokenizerParts parts = tiktoken_parts(kRanks, PieceTable(8));
  EXPECT_EQ(parts.model, "gpt2");
  EXPECT_THAT(parts.merges, ElementsAre("a b", "ab c", "\xC4\xA0 a"));
  EXPECT_EQ(parts.pieces.find(6)->text,
            "\xC4\xA0"
            "a");
  EXPECT_FALSE(parts.pieces.find(7));
}

TEST(Tiktoken, LeavesOutPiecesThatNoMergeMakes) {
  // "abc" ranks before "ab": its bytes stay three.
  EXPECT_THAT(tiktoken_parts("YQ== 0\nYg== 1\nYw== 2\nYWJj 3\nYWI= 4\n", PieceTable(5)).merges, ElementsAre("a b"));
}

TEST(Tiktoken, SaysWhatIsWrongWhere) {
  const auto message_of = [](const std::string& text) {
    return std::string(test::error_of([&] { tiktoken_parts(text, PieceTable(9)); }).what());
  };
  EXPECT_THAT(message_of("YQ== 0\nYg==\n"), HasSubstr("line 2"));
  EXPECT_THAT(message_of("YQ== 0\nYg== -1\n"), HasSubstr("line 2"));
  EXPECT_THAT(message_of("Y!== 0\n"), HasSubstr("line 1"));
  EXPECT_THAT(message_of("YQ== 0\nYg== 0\n"), HasSubstr("two pieces with the id 0"));
  EXPECT_THAT(message_of("YQ== 0\nYQ== 1\n"), HasSubstr("twice"));
  EXPECT_THAT(message_of(std::string(4000, 'A') + " 0\n"), HasSubstr("rank 0 has 3000 bytes, want 1 to 256"));
  EXPECT_FALSE(is_tiktoken("\x0A\x0E\x0A\x05<unk>"));
  EXPECT_FALSE(is_tiktoken(""));
}

TEST(Tiktoken, PutsQwensSpecialsAfterTheRanks) {
  TokenizerParts parts = tiktoken_parts(kRanks, PieceTable(300));
  add_qwen_specials(parts);
  EXPECT_EQ(parts.pieces.find(7)->text, "<|endoftext|>");
  EXPECT_EQ(parts.pieces.find(9)->text, "<|im_end|>");
  EXPECT_EQ(parts.pieces.find(9)->kind, PieceKind::kControl);
  EXPECT_EQ(parts.pieces.find(214)->text, "<|extra_204|>");
  EXPECT_EQ(parts.specials.eos, 7);
}

}  // namespace
}  // namespace skald
