#include "text/byte_unicode.h"

#include <gtest/gtest.h>

#include <set>

#include "text/byte_piece.h"
#include "text/utf8.h"

namespace skald {
namespace {

TEST(ByteUnicode, IsOneToOneAndComesBack) {
  std::set<uint32_t> seen;
  for (int b = 0; b < 256; ++b) {
    const uint32_t code = byte_to_char(static_cast<uint8_t>(b));
    EXPECT_TRUE(seen.insert(code).second) << b;
    std::string spelling;
    append_utf8(spelling, code);
    EXPECT_EQ(bytes_of_spelling(spelling), std::string(1, static_cast<char>(b)));
  }
}

TEST(ByteUnicode, KnownSpellings) {
  EXPECT_EQ(byte_to_char(' '), 0x120u);   // Ġ
  EXPECT_EQ(byte_to_char('\n'), 0x10Au);  // Ċ
  EXPECT_EQ(byte_to_char(0xAD), 0x143u);  // the last of the shifted ones
  EXPECT_EQ(bytes_of_spelling("ĠHello"), " Hello");
  EXPECT_EQ(bytes_of_spelling("ðŁĺĢ"), "😀");
}

TEST(ByteUnicode, OtherPiecesStandForThemselves) {
  EXPECT_EQ(bytes_of_spelling("a b"), "a b");
  EXPECT_EQ(bytes_of_spelling("日本"), "日本");
  EXPECT_EQ(bytes_of_spelling("\xFF"), "\xFF");
  EXPECT_EQ(bytes_of_spelling(""), "");
}

TEST(BytePiece, OnlyTheExactSpelling) {
  EXPECT_EQ(byte_of_piece("<0x0A>"), 10);
  EXPECT_EQ(byte_of_piece("<0xff>"), 255);
  for (const char* other : {"<0x0G>", "<0x0>", "<0x0A", "0x0A>>", "<0x00A>", ""})
    EXPECT_FALSE(byte_of_piece(other)) << other;
}

}  // namespace
}  // namespace skald
