#include "base/guarded.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

#include "base/log.h"

namespace skald {
namespace {

class Lines {
 public:
  Lines() {
    set_log_writer([this](LogLevel, std::string_view text) { lines.emplace_back(text); });
  }
  ~Lines() { set_log_writer({}); }
  Lines(const Lines&) = delete;
  Lines& operator=(const Lines&) = delete;

  std::vector<std::string> lines;
};

TEST(Guarded, LetsWorkPassThatThrowsNothing) {
  const Lines log;
  int calls = 0;
  EXPECT_TRUE(guarded("the worker", [&] { ++calls; }));
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(log.lines.empty());
}

TEST(Guarded, EndsWhatIsThrownAndLogsIt) {
  const Lines log;
  EXPECT_FALSE(guarded("the worker", [] { throw std::runtime_error("no"); }));
  EXPECT_FALSE(guarded("the worker", [] { throw 42; }));
  EXPECT_EQ(log.lines, (std::vector<std::string>{"the worker: no", "the worker: an unknown exception"}));
}

TEST(Guarded, TriesAgainWhatMustBeDone) {
  const Lines log;
  int calls = 0;
  surely("the worker", [&] {
    if (++calls < 3) throw std::runtime_error("no");
  });
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(log.lines.size(), 2u);
}

TEST(Guarded, WritesToStderrWhereTheLogFails) {
  set_log_writer([](LogLevel, std::string_view) { throw std::bad_alloc(); });
  testing::internal::CaptureStderr();
  EXPECT_FALSE(guarded("the worker", [] { throw std::runtime_error("no"); }));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "the worker: no\n");
  set_log_writer({});
}

}  // namespace
}  // namespace skald
