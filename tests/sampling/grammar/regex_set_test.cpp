// Regular languages: random expressions against their languages, listed.
#include "sampling/grammar/regex_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tests/support/errors.h"

namespace skald::regex_set_test {
namespace {

using testing::HasSubstr;

constexpr size_t kLongest = 5;
using Language = std::set<std::string>;  // its texts of at most kLongest bytes

const std::vector<std::string>& all_texts() {
  static const std::vector<std::string> texts = [] {
    std::vector<std::string> out{""};
    for (size_t i = 0; i < out.size(); ++i) {
      if (out[i].size() == kLongest) break;
      for (const char c : {'a', 'b', 'c'}) out.push_back(out[i] + c);
    }
    return out;
  }();
  return texts;
}

Language concat(const Language& a, const Language& b) {
  Language out;
  for (const std::string& x : a) {
    for (const std::string& y : b) {
      if (x.size() + y.size() <= kLongest) out.insert(x + y);
    }
  }
  return out;
}

Language repeated(const Language& a, int min, int max) {
  Language power{""}, out;
  const int most = max < 0 ? min + static_cast<int>(kLongest) : max;
  for (int i = 0; i <= most; ++i) {
    if (i >= min) out.insert(power.begin(), power.end());
    power = concat(power, a);
  }
  return out;
}

// An expression and its language.
struct Known {
  RegexId id;
  Language texts;
};

class Maker {
 public:
  explicit Maker(RegexSet& regexes, unsigned seed) : regexes_(regexes), random_(seed) {}

  Known make(int depth) {
    const int kind = depth == 0 ? below(3) : below(9);
    if (kind == 0) {
      const std::string text(1, static_cast<char>('a' + below(3)));
      return {regexes_.literal(text), {text}};
    }
    if (kind == 1) return {regexes_.bytes(ByteSet::range('a', 'b')), {"a", "b"}};
    if (kind == 2) return below(3) == 0 ? Known{regexes_.empty(), {""}} : Known{regexes_.literal("ab"), {"ab"}};
    const Known a = make(depth - 1);
    if (kind == 3) {
      const int min = below(3), max = below(3) == 0 ? -1 : min + below(4);
      return {regexes_.repeat(a.id, min, max), repeated(a.texts, min, max)};
    }
    if (kind == 4) {
      Language out;
      for (const std::string& text : all_texts()) {
        if (!a.texts.contains(text)) out.insert(text);
      }
      // Of bytes that the test does not know, none.
      const RegexId known = regexes_.repeat(regexes_.bytes(ByteSet::range('a', 'c')), 0, -1);
      return {regexes_.both(regexes_.complement(a.id), known), out};
    }
    const Known b = make(depth - 1);
    if (kind == 5) {
      Language out;
      for (const std::string& text : a.texts) {
        if (b.texts.contains(text)) out.insert(text);
      }
      return {regexes_.both(a.id, b.id), out};
    }
    if (kind == 6) {
      Language out = a.texts;
      out.insert(b.texts.begin(), b.texts.end());
      return {regexes_.any_of(std::array{a.id, b.id}), out};
    }
    return {regexes_.concat(std::array{a.id, b.id}), concat(a.texts, b.texts)};
  }

 private:
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  RegexSet& regexes_;
  std::mt19937 random_;
};

bool takes(RegexSet& regexes, RegexId id, const std::string& text) {
  for (const char c : text) id = regexes.derivative(id, static_cast<uint8_t>(c));
  return regexes.nullable(id);
}

TEST(RegexSet, TakesTheTextsOfRandomExpressionsAndNoOther) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    RegexSet regexes;
    const Known known = Maker(regexes, seed).make(4);
    for (const std::string& text : all_texts()) {
      ASSERT_EQ(takes(regexes, known.id, text), known.texts.contains(text)) << "seed " << seed << ": \"" << text << "\"";
      ASSERT_EQ(regexes.matches(known.id, text), known.texts.contains(text)) << "seed " << seed << ": \"" << text << "\"";
    }
    if (!known.texts.empty()) {
      ASSERT_FALSE(regexes.is_nothing(known.id)) << "seed " << seed;
    }
    const RegexId rest = regexes.without_empty(known.id);
    ASSERT_FALSE(regexes.nullable(rest));
    ASSERT_TRUE(regexes.is_nothing(regexes.both(rest, regexes.complement(known.id)))) << "seed " << seed;
  }
}

TEST(RegexSet, LeadsToNothingExactlyWhereNoTextGoesOn) {
  RegexSet regexes;
  const RegexId even = regexes.repeat(regexes.literal("aa"), 0, -1);
  const RegexId odd = regexes.concat(std::array{regexes.literal("a"), even});
  EXPECT_TRUE(regexes.is_nothing(regexes.both(even, odd)));
  // "b" is alive only as long as something of even and odd length may follow.
  const RegexId hidden = regexes.any_of(
      std::array{regexes.concat(std::array{regexes.literal("b"), regexes.both(even, odd)}), regexes.literal("c")});
  EXPECT_EQ(regexes.derivative(hidden, 'b'), RegexSet::kNothing);
  EXPECT_NE(regexes.derivative(hidden, 'c'), RegexSet::kNothing);
  EXPECT_TRUE(regexes.contains(regexes.any_of(std::array{even, odd}), regexes.repeat(regexes.literal("a"), 3, 70)));
  EXPECT_FALSE(regexes.contains(even, odd));
}

TEST(RegexSet, CountsWithoutWritingOut) {
  RegexSet regexes;
  const RegexId a = regexes.literal("a");
  const RegexId many = regexes.repeat(a, 1000, 1'000'000);
  EXPECT_FALSE(regexes.matches(many, std::string(999, 'a')));
  EXPECT_TRUE(regexes.matches(many, std::string(1000, 'a')));
  const RegexId nested = regexes.repeat(regexes.repeat(regexes.repeat(a, 1, 100), 1, 100), 1, 100);
  EXPECT_EQ(nested, regexes.repeat(a, 1, 1'000'000));
  EXPECT_LT(regexes.memory(), size_t{2} << 20);
}

TEST(RegexSet, SpellsCharactersInUtf8) {
  RegexSet regexes;
  const RegexId set = regexes.code_points(std::vector<CodePointRange>{{0x3B1, 0x3C9}, {0xD000, 0x10000}, {'x', 'x'}});
  EXPECT_TRUE(regexes.matches(set, "x"));
  EXPECT_TRUE(regexes.matches(set, "α"));
  EXPECT_TRUE(regexes.matches(set, "\xF0\x90\x80\x80"));
  EXPECT_FALSE(regexes.matches(set, "\xF0\x90\x80\x81"));
  EXPECT_FALSE(regexes.matches(set, "\xED\xA0\x80"));  // a surrogate
  EXPECT_FALSE(regexes.matches(set, "é"));
}

TEST(RegexSet, RefusesWhatGrowsTooLarge) {
  RegexSet regexes;
  RegexId deep = regexes.literal("a");
  const Error e = test::error_of([&] {
    for (int i = 0; i < 100'000; ++i) deep = regexes.complement(regexes.concat(std::array{deep, regexes.literal("b")}));
  });
  EXPECT_EQ(e.code(), Errc::kBadInput);
  EXPECT_THAT(e.what(), HasSubstr("too large"));
  EXPECT_THAT(test::error_of([&] { regexes.repeat(regexes.literal("a"), 3, 2); }).what(), HasSubstr("at most 2"));
}

}  // namespace
}  // namespace skald::regex_set_test
