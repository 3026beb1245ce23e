// The shell limits itself and becomes the program, by way of env, which drops the variables that shells add.
#include "base/spawn.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "base/error.h"
#include "base/surroundings.h"

namespace skald {
namespace {

// Those that are open now: POSIX cannot close all that a program begins with.
void close_files(Surroundings& surroundings) {
  constexpr long kMost = 1 << 16;
  const long most = std::min(kMost, ::sysconf(_SC_OPEN_MAX));
  for (int fd = STDERR_FILENO + 1; fd < most; ++fd)
    if (::fcntl(fd, F_GETFD) >= 0) posix_spawn_file_actions_addclose(surroundings.files(), fd);
}

}  // namespace

// A limit that a shell does not know is left out.
pid_t spawn(const std::vector<std::string>& arguments, int socket, const SpawnLimits& limits) {
  if (::access(arguments[0].c_str(), X_OK) != 0) fail(Errc::kDevice, "{} cannot be started: it is no program", arguments[0]);
  const std::string script = "ulimit -v " + std::to_string(limits.memory / 1024) + "; ulimit -t " +
                             std::to_string(limits.seconds) +
                             "; ulimit -f 0; ulimit -c 0; exec /usr/bin/env -i LC_ALL=C.UTF-8 \"$0\" \"$@\"";
  std::vector<std::string> shell = {"/bin/sh", "-c", script};
  shell.insert(shell.end(), arguments.begin(), arguments.end());
  Surroundings surroundings(socket);
  close_files(surroundings);
  return surroundings.start(shell);
}

}  // namespace skald
