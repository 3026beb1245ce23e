// For spawn() of src/base/<system>/spawn.cpp: what a program begins with.
#pragma once

#include <spawn.h>

#include <string>
#include <vector>

namespace skald {

/// Its standard files, no signal blocked or ignored, and an environment without secrets.
class Surroundings {
 public:
  /// Standard input and output are `socket`, and messages go nowhere.
  explicit Surroundings(int socket);
  ~Surroundings();
  Surroundings(const Surroundings&) = delete;
  Surroundings& operator=(const Surroundings&) = delete;

  /// To add actions of the system's own.
  posix_spawn_file_actions_t* files() { return &files_; }

  /// The first argument is the program's path. Throws Error (kDevice).
  pid_t start(const std::vector<std::string>& arguments) const;

 private:
  posix_spawn_file_actions_t files_;
  posix_spawnattr_t signals_;
};

}  // namespace skald
