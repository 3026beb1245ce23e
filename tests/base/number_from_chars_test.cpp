#include "base/number_from_chars.h"

#include <gtest/gtest.h>

#include <charconv>
#include <string_view>
#include <system_error>

namespace skald {
namespace {

constexpr double kBefore = -7;

struct Read {
  double value;
  std::ptrdiff_t stop;
  std::errc error;
  bool operator==(const Read&) const = default;
};

void PrintTo(const Read& read, std::ostream* out) {
  *out << read.value << ", stops at " << read.stop << ", error " << static_cast<int>(read.error);
}

template <class T>
Read by_strtod(std::string_view text) {
  T value = kBefore;
  const auto [stop, error] = number_by_strtod(text.data(), text.data() + text.size(), value);
  return {value, stop - text.data(), error};
}

constexpr std::errc kFine{};

TEST(NumberByStrtod, ReadsTheNumberThatATextBeginsWith) {
  EXPECT_EQ(by_strtod<double>("1.5"), (Read{1.5, 3, kFine}));
  EXPECT_EQ(by_strtod<double>("-2e3,"), (Read{-2000, 4, kFine}));
  EXPECT_EQ(by_strtod<double>("1e"), (Read{1, 1, kFine}));
  EXPECT_EQ(by_strtod<double>(".5.5"), (Read{.5, 2, kFine}));
  EXPECT_EQ(by_strtod<float>("0.1"), (Read{0.1F, 3, kFine}));
  EXPECT_EQ(by_strtod<double>("5e-324").error, kFine);  // the least denormal
}

TEST(NumberByStrtod, ReadsNoFurtherThanTheEnd) {
  const std::string_view text = "12345";
  EXPECT_EQ(by_strtod<double>(text.substr(0, 2)), (Read{12, 2, kFine}));
}

TEST(NumberByStrtod, RefusesWhatFromCharsRefuses) {
  for (const char* text : {"", "-", "+1", " 1", "\n1", "- 1", "--1", "-+1", "e5", "x"})
    EXPECT_EQ(by_strtod<double>(text), (Read{kBefore, 0, std::errc::invalid_argument})) << "'" << text << "'";
}

TEST(NumberByStrtod, ReadsNoHexadecimalDigits) {
  EXPECT_EQ(by_strtod<double>("0x1p4"), (Read{0, 1, kFine}));
  EXPECT_EQ(by_strtod<double>("-0X1p4"), (Read{0, 2, kFine}));
}

TEST(NumberByStrtod, SaysWhatDoesNotFitAndLeavesTheNumber) {
  EXPECT_EQ(by_strtod<double>("1e999"), (Read{kBefore, 5, std::errc::result_out_of_range}));
  EXPECT_EQ(by_strtod<double>("-1e-999"), (Read{kBefore, 7, std::errc::result_out_of_range}));
  EXPECT_EQ(by_strtod<float>("1e39"), (Read{kBefore, 4, std::errc::result_out_of_range}));
  EXPECT_EQ(by_strtod<double>("inf").error, kFine);
}

// Where the library reads them, too, both agree.
TEST(NumberFromChars, ReadsAsStrtodDoes) {
  for (const std::string_view text :
       {"1.5", "-0.1", "1e22", "123456789012345678901234567890", "0x10", "1e999", " 1", "inf", "nan"}) {
    double value = kBefore;
    const auto [stop, error] = number_from_chars(text.data(), text.data() + text.size(), value);
    const Read want = by_strtod<double>(text);
    EXPECT_EQ(stop - text.data(), want.stop) << text;
    EXPECT_EQ(error, want.error) << text;
    EXPECT_TRUE(value == want.value || text == "nan") << text << ": " << value;
  }
}

TEST(NumberFromChars, ReadsWholeNumbers) {
  const std::string_view text = "42x";
  int value = 0;
  const auto [stop, error] = number_from_chars(text.data(), text.data() + text.size(), value);
  EXPECT_EQ(value, 42);
  EXPECT_EQ(*stop, 'x');
  EXPECT_EQ(error, kFine);
}

}  // namespace
}  // namespace skald
