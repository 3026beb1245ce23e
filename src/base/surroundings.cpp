#include "base/surroundings.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>

#include "base/error.h"

namespace skald {

Surroundings::Surroundings(int socket) {
  posix_spawn_file_actions_init(&files_);
  posix_spawn_file_actions_adddup2(&files_, socket, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&files_, socket, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&files_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_init(&signals_);
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  posix_spawnattr_setsigmask(&signals_, &none);
  posix_spawnattr_setsigdefault(&signals_, &all);
  posix_spawnattr_setflags(&signals_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
}

Surroundings::~Surroundings() {
  posix_spawn_file_actions_destroy(&files_);
  posix_spawnattr_destroy(&signals_);
}

pid_t Surroundings::start(const std::vector<std::string>& arguments) const {
  std::vector<char*> argv;
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  std::array<char*, 2> environment{const_cast<char*>("LC_ALL=C.UTF-8"), nullptr};
  pid_t pid = 0;
  if (const int error = ::posix_spawn(&pid, argv[0], &files_, &signals_, argv.data(), environment.data()))
    fail(Errc::kDevice, "{} cannot be started: {}", arguments[0], std::strerror(error));
  return pid;
}

}  // namespace skald
