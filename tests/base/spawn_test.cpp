// Programs that are started: their files, their limits, and those that are none.
#include "base/spawn.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <string>

#include "base/descriptor.h"
#include "base/sockets.h"
#include "tests/support/errors.h"

namespace skald {
namespace {

constexpr SpawnLimits kLimits{.memory = int64_t{512} << 20, .seconds = 20};

struct Ended {
  std::string output;
  int status;
};

// What /bin/sh makes of a script. It reads a line first: the limits are there then.
Ended run_script(const std::string& script, std::vector<std::string> more = {}) {
  std::array<int, 2> ends{};
  EXPECT_TRUE(connect_pair(ends));
  const Descriptor ours(ends[0]);
  std::vector<std::string> arguments = {"/bin/sh", "-c", "read go; " + script};
  arguments.insert(arguments.end(), more.begin(), more.end());
  pid_t pid = 0;
  {
    const Descriptor its(ends[1]);
    pid = spawn(arguments, its.get(), kLimits);
  }
  EXPECT_EQ(::write(ours.get(), "go\n", 3), 3);
  Ended out{};
  std::array<char, 256> bytes;
  for (ssize_t n = 0; (n = ::read(ours.get(), bytes.data(), bytes.size())) > 0;)
    out.output.append(bytes.data(), static_cast<size_t>(n));
  EXPECT_EQ(::waitpid(pid, &out.status, 0), pid);
  return out;
}

TEST(Spawn, ConnectsAProgramAndDropsItsMessages) {
  const Ended ended = run_script("echo out; echo message >&2; exit 3");
  EXPECT_EQ(ended.output, "out\n");
  EXPECT_EQ(WEXITSTATUS(ended.status), 3);
}

TEST(Spawn, GivesArgumentsAsTheyAre) {
  EXPECT_EQ(run_script("printf '%s|' \"$@\"", {"sh", "a b", "$HOME", "';x"}).output, "a b|$HOME|';x|");
}

TEST(Spawn, LimitsTheProgram) { EXPECT_EQ(run_script("ulimit -v; ulimit -t; ulimit -f").output, "524288\n20\n0\n"); }

TEST(Spawn, GivesNoVariablesOfTheEnvironmentAway) {
  ::setenv("SKALD_SECRET", "x", 1);
  EXPECT_EQ(run_script("echo \"$SKALD_SECRET\"").output, "\n");
  ::unsetenv("SKALD_SECRET");
}

TEST(Spawn, GivesNoFilesAway) {
  const Descriptor open(::dup(STDERR_FILENO));
  ASSERT_GE(open.get(), 0);
  const std::string number = std::to_string(open.get());
  EXPECT_EQ(run_script("if true 2>/dev/null >&" + number + "; then echo open; else echo closed; fi").output, "closed\n");
}

TEST(Spawn, NamesAProgramThatIsMissing) {
  const Error e = test::error_of([] { spawn({"/no/such/program"}, STDOUT_FILENO, kLimits); });
  EXPECT_EQ(e.code(), Errc::kDevice);
  EXPECT_NE(std::string(e.what()).find("/no/such/program"), std::string::npos);
}

}  // namespace
}  // namespace skald
