// Tables as Markdown and as CSV, character by character.
#include "tools/report/table.h"

#include <gtest/gtest.h>

namespace skald {
namespace {

TEST(Table, AlignsTextToTheLeftAndNumbersToTheRight) {
  const Table table{{"name", "n"}, {{"a", "1"}, {"longer name", "12345.6"}}};
  EXPECT_EQ(table.markdown(),
            "| name        |       n |\n"
            "| ----------- | ------: |\n"
            "| a           |       1 |\n"
            "| longer name | 12345.6 |\n");
}

TEST(Table, CountsSharesAndSpreadsAsNumbersAndMixedColumnsAsText) {
  const Table table{{"share", "rate", "test"}, {{"12.5%", "10.00 ± 0.25", "8"}, {"-3%", "9.00 ± 1.00", "pp 8"}}};
  EXPECT_EQ(table.markdown(),
            "| share |         rate | test |\n"
            "| ----: | -----------: | ---- |\n"
            "| 12.5% | 10.00 ± 0.25 | 8    |\n"
            "|   -3% |  9.00 ± 1.00 | pp 8 |\n");
}

TEST(InThousands, GroupsDigitsByThree) {
  EXPECT_EQ(in_thousands(0), "0");
  EXPECT_EQ(in_thousands(999), "999");
  EXPECT_EQ(in_thousands(1000), "1,000");
  EXPECT_EQ(in_thousands(-123456), "-123,456");
  EXPECT_EQ(in_thousands(2146435072), "2,146,435,072");
  EXPECT_EQ((Table{{"bytes"}, {{"1,000"}, {"10"}}}.markdown()), "| bytes |\n| ----: |\n| 1,000 |\n|    10 |\n");
}

TEST(Table, CountsCharactersNotBytes) {
  const Table table{{"näme"}, {{"ßß"}}};
  EXPECT_EQ(table.markdown(),
            "| näme |\n"
            "| ---- |\n"
            "| ßß   |\n");
}

TEST(Table, OfNoRowsIsItsHeader) {
  const Table table{{"a", "bcd"}, {}};
  EXPECT_EQ(table.markdown(), "| a   | bcd |\n| --- | --- |\n");
  EXPECT_EQ(table.csv(), "a,bcd\n");
}

TEST(Csv, QuotesWhatRfc4180SaysAndNothingElse) {
  const Table table{
      {"a", "b"}, {{"plain text", "1.5"}, {"with, comma", "with \"quotes\""}, {"two\nlines", "return\r"}, {"", " spaces "}}};
  EXPECT_EQ(table.csv(),
            "a,b\n"
            "plain text,1.5\n"
            "\"with, comma\",\"with \"\"quotes\"\"\"\n"
            "\"two\nlines\",\"return\r\"\n"
            ", spaces \n");
}

}  // namespace
}  // namespace skald
