#include "serve/load/sse_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "skald/error.h"

namespace skald::serve::sse_reader_test {
namespace {

std::vector<std::string> events_of(std::string_view bytes, size_t step) {
  SseReader reader;
  std::vector<std::string> out;
  for (size_t at = 0; at < bytes.size(); at += step)
    reader.read(bytes.substr(at, step), [&](std::string_view data) { out.emplace_back(data); });
  return out;
}

TEST(SseReader, GivesTheDataOfEvents) {
  const std::vector<std::string> want = {"one", "two\nlines", "", " three"};
  for (const char* end : {"\n", "\r\n", "\r"}) {
    std::string bytes;
    for (const char* line : {": ping", "", "event: x", "data: one", "", "data: two", "data:lines", "id: 5", "", "data", "",
                             "database: no", "", "data:  three", "", "data: not over"})
      bytes += std::string(line) + end;
    for (const size_t step : {1, 2, 5, 1000}) EXPECT_EQ(events_of(bytes, step), want) << step;
  }
}

TEST(SseReader, EndlessLinesAndEventsAreErrors) {
  EXPECT_THROW(events_of("data: " + std::string(size_t{2} << 20, 'x'), 4096), Error);
  std::string lines;
  while (lines.size() < size_t{2} << 20) lines += "data: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\n";
  EXPECT_THROW(events_of(lines, 4096), Error);
}

}  // namespace
}  // namespace skald::serve::sse_reader_test
