// Programs of the machine, and the limits that they are held to.
#include "serve/programs/program.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>
#include <cstdlib>
#include <stdexcept>

#include "base/error.h"

namespace skald::serve {
namespace {

using namespace std::chrono_literals;

ProgramResult run_it(std::vector<std::string> arguments, std::string_view input = {}, const ProgramLimits& limits = {}) {
  arguments[0] = find_program(arguments[0]);
  return run_program(arguments, input, limits, [] {});
}

/// Returns whether this process has a child, running or not collected.
bool has_children() { return ::waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD; }

TEST(Program, GivesTheOutputOfMuchInput) {
  const std::string input(3 << 20, 'a');
  const ProgramResult result = run_it({"cat"}, input);
  EXPECT_EQ(result.end, ProgramEnd::kExit);
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.output, input);
  EXPECT_FALSE(has_children());
}

TEST(Program, TellsTheStatusOfAFailure) {
  EXPECT_EQ(run_it({"cat", "/nothing"}).status, 1);
  EXPECT_EQ(run_it({"sh", "-c", "kill -9 $$"}).status, -1);
}

TEST(Program, NeedsNotReadItsInput) {
  const std::string input(3 << 20, 'a');
  EXPECT_EQ(run_it({"true"}, input).status, 0);
}

TEST(Program, IsKilledAfterItsTime) {
  const ProgramResult result = run_it({"sleep", "60"}, {}, {.time = 50ms});
  EXPECT_EQ(result.end, ProgramEnd::kTime);
  EXPECT_FALSE(has_children());
  EXPECT_EQ(run_it({"sh", "-c", "exec >&- <&-; sleep 60"}, {}, {.time = 50ms}).end, ProgramEnd::kTime);
}

TEST(Program, IsKilledWhereItWritesTooMuch) {
  EXPECT_EQ(run_it({"yes"}, {}, {.output = 1000}).end, ProgramEnd::kOutput);
  EXPECT_FALSE(has_children());
}

TEST(Program, HasNoMoreMemoryThanItsLimit) {
  const std::string line(64 << 20, 'a');  // that sort keeps
  const int64_t output = 128 << 20;
  EXPECT_EQ(run_it({"sort"}, line, {.output = output}).status, 0);
  const ProgramResult failed = run_it({"sort"}, line, {.memory = 48 << 20, .output = output});
  EXPECT_EQ(failed.end, ProgramEnd::kExit);
  EXPECT_NE(failed.status, 0);
}

TEST(Program, IsKilledByAnExceptionOfItsCaller) {
  const auto leave = [] { throw std::runtime_error("the client has left"); };
  EXPECT_THROW(run_program({find_program("sleep"), "60"}, {}, {}, leave), std::runtime_error);
  EXPECT_FALSE(has_children());
}

TEST(Program, GetsNoFileOfTheServer) {
  EXPECT_EQ(run_it({"ls", "/proc/self/fd"}).output, "0\n1\n2\n3\n");  // the last is of ls itself
}

TEST(Program, GetsNoVariableOfTheServer) {
  ::setenv("SKALD_TEST_SECRET", "x", 1);
  EXPECT_EQ(run_it({"env"}).output, "LC_ALL=C.UTF-8\n");
}

TEST(Program, ThatCannotBeStartedIsNamed) {
  try {
    run_program({"/nothing"}, {}, {}, [] {});
    FAIL();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::kDevice);
    EXPECT_NE(std::string(e.what()).find("/nothing"), std::string::npos);
  }
}

TEST(Program, IsFoundInTheAbsoluteFoldersOfPath) {
  const std::string path = std::getenv("PATH");
  EXPECT_TRUE(find_program("cat").ends_with("/cat"));
  ::setenv("PATH", "usr/bin::/nothing", 1);
  EXPECT_EQ(find_program("cat"), "");
  ::setenv("PATH", path.c_str(), 1);
}

}  // namespace
}  // namespace skald::serve
