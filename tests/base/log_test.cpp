// Log: the lines that each SKALD_LOG lets through, in a fresh process each.
#include "base/log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace skald {
namespace {

constexpr const char* kUnset = nullptr;

// Runs `body` with this SKALD_LOG and ends the process. The logger reads the variable once in a process's life, hence death
// tests in the "threadsafe" style, which start the program again.
template <class Body>
[[noreturn]] void run_and_exit(const char* level, Body body) {
  if (level == nullptr)
    ::unsetenv("SKALD_LOG");
  else
    ::setenv("SKALD_LOG", level, 1);
  body();
  std::exit(0);
}

class LogDeathTest : public testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  void TearDown() override { GTEST_FLAG_SET(death_test_style, "fast"); }
};

const auto kSucceeds = testing::ExitedWithCode(0);

void one_line_each() {
  log(LogLevel::kError, "an {} line", "error");
  log(LogLevel::kWarn, "a {} line", "warn");
  log(LogLevel::kInfo, "an {} line", "info");
  log(LogLevel::kDebug, "a {} line", "debug");
}

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST_F(LogDeathTest, DefaultIsWarn) {
  EXPECT_EXIT(run_and_exit(kUnset, one_line_each), kSucceeds,
              AllOf(HasSubstr("an error line"), HasSubstr("a warn line"), Not(HasSubstr("an info line")),
                    Not(HasSubstr("not a log level"))));
}

TEST_F(LogDeathTest, ErrorSilencesWarnings) {
  EXPECT_EXIT(run_and_exit("error", one_line_each), kSucceeds,
              AllOf(HasSubstr("an error line"), Not(HasSubstr("a warn line"))));
}

TEST_F(LogDeathTest, InfoHidesDebug) {
  EXPECT_EXIT(run_and_exit("info", one_line_each), kSucceeds,
              AllOf(HasSubstr("an info line"), Not(HasSubstr("a debug line"))));
}

TEST_F(LogDeathTest, DebugShowsAll) {
  EXPECT_EXIT(run_and_exit("debug", one_line_each), kSucceeds, AllOf(HasSubstr("an error line"), HasSubstr("a debug line")));
}

TEST_F(LogDeathTest, WrongValueMeansWarnAndSaysSoOnce) {
  EXPECT_EXIT(
      run_and_exit("loud", one_line_each), kSucceeds,
      AllOf(HasSubstr("SKALD_LOG=loud is not a log level"), HasSubstr("a warn line"), Not(HasSubstr("an info line"))));
  const auto twice = [] {
    one_line_each();
    one_line_each();
  };
  const auto once = [](const std::string& text) {
    const size_t at = text.find("not a log level");
    return at != std::string::npos && text.find("not a log level", at + 1) == std::string::npos;
  };
  EXPECT_EXIT(run_and_exit("loud", twice), kSucceeds, testing::Truly(once));
}

TEST_F(LogDeathTest, BracesInTheTextAreText) {
  const auto braces = [] { log_line(LogLevel::kError, "{} and {0} and %v"); };
  EXPECT_EXIT(run_and_exit(kUnset, braces), kSucceeds, HasSubstr("{} and {0} and %v"));
}

TEST(Log, LevelNames) {
  EXPECT_EQ(log_level_named("error"), LogLevel::kError);
  EXPECT_EQ(log_level_named("warn"), LogLevel::kWarn);
  EXPECT_EQ(log_level_named("info"), LogLevel::kInfo);
  EXPECT_EQ(log_level_named("debug"), LogLevel::kDebug);
  EXPECT_EQ(log_level_named("WARN"), std::nullopt);
  EXPECT_EQ(log_level_named(""), std::nullopt);
}

TEST(Log, WritesFromManyThreads) {
  testing::internal::CaptureStderr();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 50; ++i) log(LogLevel::kError, "whole line {}", i);
    });
  for (std::thread& t : threads) t.join();
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 200);
}

}  // namespace
}  // namespace skald
