// CPU lists: the notation, rejected texts, and sets of them.
#include "base/cpu_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/errors.h"

namespace skald {
namespace {

using testing::HasSubstr;

TEST(ParseCpuList, TakesNumbersAndRanges) {
  EXPECT_EQ(parse_cpu_list("0"), (CpuList{0}));
  EXPECT_EQ(parse_cpu_list("0-3"), (CpuList{0, 1, 2, 3}));
  EXPECT_EQ(parse_cpu_list("0-1,8,10-11"), (CpuList{0, 1, 8, 10, 11}));
  EXPECT_EQ(parse_cpu_list("5-5,8191"), (CpuList{5, 8191}));
}

TEST(ParseCpuList, SortsAndTakesEachOnce) { EXPECT_EQ(parse_cpu_list("8,0-2,1-3,8"), (CpuList{0, 1, 2, 3, 8})); }

TEST(ParseCpuList, NamesThePartThatIsWrong) {
  for (const char* part : {"x", "-", "-1", "1-", "1-x", "1-2-3", " 1", "1 ", "0x1", "+1", "1.5"}) {
    const Error e = test::error_of([&] { parse_cpu_list("0-3," + std::string(part)); });
    EXPECT_EQ(e.code(), Errc::kBadInput) << part;
    EXPECT_THAT(e.what(), HasSubstr("'" + std::string(part) + "'"));
  }
  for (const char* text : {"", ",", "0,", ",0", "0,,1"}) EXPECT_THROW(parse_cpu_list(text), Error) << text;
  EXPECT_THAT(test::error_of([] { parse_cpu_list("3-1"); }).what(), HasSubstr("'3-1' ends before it begins"));
}

TEST(ParseCpuList, RefusesNumbersBeyondWhatThereCanBe) {
  for (const char* text : {"8192", "0-8192", "0-99999999999999999999", "4294967296"})
    EXPECT_THAT(test::error_of([&] { parse_cpu_list(text); }).what(), HasSubstr("8191")) << text;
}

TEST(CpuListText, IsWhatParsesToTheSame) {
  for (const char* text : {"0", "0-3", "0-1,8,10-11", "1,3,5"}) EXPECT_EQ(to_string(parse_cpu_list(text)), text);
  EXPECT_EQ(to_string({}), "");
}

TEST(CpuListSets, IntersectAndSubtract) {
  EXPECT_EQ(intersection({0, 1, 4}, {1, 2, 4}), (CpuList{1, 4}));
  EXPECT_EQ(intersection({0, 1}, {2}), CpuList{});
  EXPECT_EQ(difference({0, 1, 4}, {1, 2}), (CpuList{0, 4}));
}

}  // namespace
}  // namespace skald
