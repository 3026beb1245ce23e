#include "base/spawn.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/error.h"
#include "base/surroundings.h"

namespace skald {
namespace {

bool limit(pid_t pid, const SpawnLimits& limits) {
  const auto set = [pid](auto resource, rlim_t most) {
    const rlimit both{most, most};
    return ::prlimit(pid, resource, &both, nullptr) == 0;
  };
  return set(RLIMIT_AS, static_cast<rlim_t>(limits.memory)) && set(RLIMIT_CPU, static_cast<rlim_t>(limits.seconds)) &&
         set(RLIMIT_FSIZE, 0) && set(RLIMIT_CORE, 0);
}

}  // namespace

// The program waits for the first byte of its input when it is limited.
pid_t spawn(const std::vector<std::string>& arguments, int socket, const SpawnLimits& limits) {
  Surroundings surroundings(socket);
  posix_spawn_file_actions_addclosefrom_np(surroundings.files(), STDERR_FILENO + 1);
  const pid_t pid = surroundings.start(arguments);
  if (limit(pid, limits)) return pid;
  const int error = errno;
  ::kill(pid, SIGKILL);
  ::waitpid(pid, nullptr, 0);
  fail(Errc::kDevice, "prlimit: {}", std::strerror(error));
}

}  // namespace skald
