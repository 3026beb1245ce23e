#include "io/line_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "skald/error.h"
#include "tests/support/temp_dir.h"

namespace skald::line_reader_test {
namespace {

using Lines = std::vector<std::pair<int64_t, std::string>>;

Lines lines_of(const std::string& text, int64_t longest = int64_t{1} << 20) {
  const test::TempDir folder;
  LineReader reader(folder.write("lines", text), longest);
  Lines out;
  while (const auto line = reader.next()) out.emplace_back(line->number, line->too_long ? "too long" : line->text);
  EXPECT_FALSE(reader.next());
  return out;
}

TEST(LineReader, CountsLinesAndLeavesOutEmptyOnes) {
  EXPECT_EQ(lines_of("a\n\n \t\r\nb\r\nc"), (Lines{{1, "a"}, {4, "b\r"}, {5, "c"}}));
  EXPECT_EQ(lines_of(""), Lines{});
  EXPECT_EQ(lines_of("\n\n"), Lines{});
}

TEST(LineReader, LeavesOutAByteOrderMark) { EXPECT_EQ(lines_of("\xEF\xBB\xBF{}\n"), (Lines{{1, "{}"}})); }

TEST(LineReader, TellsWhereTextsLie) {
  const test::TempDir folder;
  const std::string text =
      "\xEF\xBB\xBF"
      "a\n\n" +
      std::string(300000, 'x') + "\r\n" + std::string(200000, 'y') + "\n \nlast";
  LineReader reader(folder.write("lines", text), 300001);
  int count = 0;
  for (; const auto line = reader.next(); ++count)
    EXPECT_EQ(text.substr(static_cast<size_t>(line->begin), line->text.size()), line->text) << line->number;
  EXPECT_EQ(count, 4);
}

TEST(LineReader, TellsLongLinesWithoutKeepingThem) {
  const std::string long_line(300000, 'x');
  EXPECT_EQ(lines_of("abc\n" + long_line + "\nabcd\n" + long_line, 3),
            (Lines{{1, "abc"}, {2, "too long"}, {3, "too long"}, {4, "too long"}}));
  EXPECT_EQ(lines_of(long_line + "\nb"), (Lines{{1, long_line}, {2, "b"}}));
}

TEST(LineReader, NamesWhatCannotBeRead) {
  const test::TempDir folder;
  EXPECT_THROW(LineReader(folder.path("none"), 10), Error);
  EXPECT_THROW(LineReader(folder.path("."), 10), Error);
}

TEST(LineReader, EndsWhenTheCallerWantsNoMore) {
  const test::TempDir folder;
  LineReader reader(folder.write("lines", "a\nb\n"), 10);
  EXPECT_FALSE(reader.next([] { return false; }));
}

}  // namespace
}  // namespace skald::line_reader_test
