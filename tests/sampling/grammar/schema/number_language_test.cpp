// Sets of numbers: each spelling is in a set exactly if its value is, by arithmetic on thousandths.
#include "sampling/grammar/schema/number_language.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace skald {
namespace {

struct Spelling {
  std::string text;
  int64_t thousandths;
};

std::vector<Spelling> spellings() {
  std::vector<Spelling> out;
  for (const int64_t whole : {0, 1, 2, 9, 10, 11, 19, 20, 99, 100, 101, 123, 1000}) {
    for (const char* fraction : {"", ".0", ".1", ".5", ".50", ".25", ".250", ".999", ".001", ".09"}) {
      std::string digits = fraction;
      digits = digits.empty() ? "000" : (digits.substr(1) + "00").substr(0, 3);
      const int64_t value = whole * 1000 + std::stol(digits);
      out.push_back({std::to_string(whole) + fraction, value});
      out.push_back({"-" + std::to_string(whole) + fraction, -value});
    }
  }
  return out;
}

class Numbers : public testing::Test {
 protected:
  void expect(const NumberSet& set, auto holds, const std::string& what) {
    for (const Spelling& s : spellings())
      EXPECT_EQ(regexes_.matches(set.plain, s.text), holds(s.thousandths)) << what << ": " << s.text;
  }
  RegexSet regexes_;
  NumberLanguage numbers_{regexes_};
};

TEST_F(Numbers, AreBoundedExactly) {
  for (const Spelling& bound : spellings()) {
    const Decimal b = *Decimal::parse(bound.text);
    const int64_t v = bound.thousandths;
    expect(
        numbers_.at_least(b), [&](int64_t x) { return x >= v; }, ">= " + bound.text);
    expect(
        numbers_.at_least(b, false), [&](int64_t x) { return x > v; }, "> " + bound.text);
    expect(
        numbers_.at_most(b), [&](int64_t x) { return x <= v; }, "<= " + bound.text);
    expect(
        numbers_.at_most(b, false), [&](int64_t x) { return x < v; }, "< " + bound.text);
    expect(
        numbers_.only(b), [&](int64_t x) { return x == v; }, "= " + bound.text);
  }
}

TEST_F(Numbers, AreMultiples) {
  for (const auto& [step, thousandths] :
       {std::pair{"3", 3000}, {"0.5", 500}, {"2.5", 2500}, {"0.001", 1}, {"0.03", 30}, {"10", 10000}, {"1e2", 100000}})
    expect(
        numbers_.multiples_of(*Decimal::parse(step)), [&](int64_t x) { return x % thousandths == 0; }, step);
}

TEST_F(Numbers, AreJoinedAsSets) {
  const NumberSet a = numbers_.at_least(*Decimal::parse("0.5")), b = numbers_.integers();
  expect(
      numbers_.both(a, b), [](int64_t x) { return x >= 500 && x % 1000 == 0; }, "both");
  expect(
      numbers_.either(a, b), [](int64_t x) { return x >= 500 || x % 1000 == 0; }, "either");
  expect(
      numbers_.complement(numbers_.both(a, b)), [](int64_t x) { return x < 500 || x % 1000 != 0; }, "complement");
}

TEST_F(Numbers, HaveExponentsWhereOnlyTheSignMatters) {
  const auto spelled = [&](const NumberSet& set, const char* text) { return regexes_.matches(numbers_.spelled(set), text); };
  const NumberSet from_zero = numbers_.at_least(Decimal()), from_one = numbers_.at_least(*Decimal::parse("1"));
  EXPECT_TRUE(spelled(from_zero, "1e-07"));
  EXPECT_FALSE(spelled(from_zero, "-1e-07"));
  EXPECT_FALSE(spelled(from_zero, "1e300"));  // a double holds it, but not all numbers of three digits after the e
  EXPECT_FALSE(spelled(from_one, "2e1"));
  EXPECT_TRUE(spelled(numbers_.all(), "-2.5E+10"));
  EXPECT_FALSE(spelled(numbers_.integers(), "1e2"));
}

TEST(Decimal, IsComparedByValue) {
  const std::vector<std::string> rising = {"-1e20", "-10", "-9.5", "-1", "-0.11", "-0.1", "0",
                                           "1e-9",  "0.1", "0.11", "1",  "9.5",   "10",   "1e20"};
  for (size_t i = 0; i < rising.size(); ++i) {
    for (size_t j = 0; j < rising.size(); ++j)
      EXPECT_EQ(*Decimal::parse(rising[i]) < *Decimal::parse(rising[j]), i < j) << rising[i] << " " << rising[j];
  }
  EXPECT_EQ(*Decimal::parse("1.50"), *Decimal::parse("15e-1"));
  EXPECT_EQ(*Decimal::parse("-0.0"), Decimal());
  EXPECT_EQ(Decimal::parse("1200")->whole(), "1200");
  EXPECT_EQ(Decimal::parse("12e-4")->fraction(), "0012");
  for (const char* wrong : {"", "-", "1.", ".5", "1e", "1x", "1e9999999"}) EXPECT_FALSE(Decimal::parse(wrong)) << wrong;
}

}  // namespace
}  // namespace skald
