#include "text/charsmap.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "tests/support/errors.h"
#include "tests/text/tiny_charsmap.h"

namespace skald {
namespace {

using test::charsmap_bytes;
using test::little_endian;
using ::testing::HasSubstr;

std::string replaced_by(const Charsmap& map, std::string_view text) {
  const auto match = map.match(text);
  return match ? std::to_string(match->length) + ":" + std::string(match->result) : "none";
}

TEST(Charsmap, LongestKeyWins) {
  const Charsmap map(charsmap_bytes({{"a", "x"}, {"abc", "yz"}, {"ﬁ", "fi"}, {"\x01", ""}}));
  EXPECT_EQ(replaced_by(map, "a"), "1:x");
  EXPECT_EQ(replaced_by(map, "ab"), "1:x");
  EXPECT_EQ(replaced_by(map, "abcabc"), "3:yz");
  EXPECT_EQ(replaced_by(map, "ﬁn"), "3:fi");
  EXPECT_EQ(replaced_by(map, "\xEF\xAC"), "none");
  EXPECT_EQ(replaced_by(map, "\x01"), "1:");
  EXPECT_EQ(replaced_by(map, "b"), "none");
  EXPECT_EQ(replaced_by(map, ""), "none");
  EXPECT_EQ(replaced_by(map, std::string(1, '\0')), "none");
  EXPECT_EQ(replaced_by(Charsmap(), "a"), "none");
}

TEST(Charsmap, BrokenOnesAreRefused) {
  const auto error = [](const std::string& bytes) {
    const Error e = test::error_of([&] { Charsmap{bytes}; });
    EXPECT_EQ(e.code(), Errc::kBadFile);
    return std::string(e.what());
  };
  const std::string good = charsmap_bytes({{"a", "x"}});
  EXPECT_THAT(error(""), HasSubstr("0 bytes"));
  EXPECT_THAT(error("abc"), HasSubstr("3 bytes"));
  EXPECT_THAT(error(little_endian(4)), HasSubstr("double array of 4 bytes"));
  EXPECT_THAT(error(little_endian(5) + "12345"), HasSubstr("double array of 5 bytes"));
  EXPECT_THAT(error(little_endian(0xFFFFFFFC) + "1234"), HasSubstr("double array"));
  EXPECT_THAT(error(good.substr(0, good.size() - 1)), HasSubstr("no end"));
  EXPECT_THAT(error(good.substr(0, good.size() - 2)), HasSubstr("no end"));
  EXPECT_THAT(error(little_endian(8) + little_endian(0) + little_endian(1u << 31 | 2) + "x" + '\0'),
              HasSubstr("replacement at 2 of 2 bytes"));
  EXPECT_THAT(error(charsmap_bytes({{"a", std::string(5000, 'x')}})), HasSubstr("5000 bytes"));
}

TEST(Charsmap, AnyUnitsAreSafe) {
  std::mt19937 random(3);
  for (int round = 0; round < 300; ++round) {
    const auto count = static_cast<uint32_t>(random() % 600);
    std::string bytes = little_endian(count * 4);
    for (uint32_t i = 0; i < count; ++i) {
      uint32_t unit = static_cast<uint32_t>(random());
      if (unit >> 31) unit = 1u << 31 | unit % 4;  // a value within bounds
      if (random() % 2) unit &= 0x800C03FF;        // children nearby
      bytes += little_endian(unit);
    }
    bytes += std::string("ab\0c\0", 5);
    const Charsmap map(bytes);
    for (int label = 0; label < 256; ++label) {
      const std::string text(100, static_cast<char>(label));
      const auto match = map.match(text);
      if (!match) continue;
      ASSERT_GE(match->length, 1u);
      ASSERT_LE(match->length, text.size());
      ASSERT_LE(match->result.size(), 2u);
    }
  }
}

// A double array may lead in circles, which no map of characters needs.
TEST(Charsmap, CirclesEnd) {
  std::vector<uint32_t> units(256, 0);
  units['a'] = static_cast<uint32_t>('a') | static_cast<uint32_t>('a') << 10;  // its own child
  std::string bytes = little_endian(1024);
  for (uint32_t unit : units) bytes += little_endian(unit);
  const Charsmap map(bytes + std::string(1, '\0'));
  EXPECT_FALSE(map.match(std::string(1 << 20, 'a')));
}

}  // namespace
}  // namespace skald
