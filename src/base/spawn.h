// Programs that are started to do one thing for us, and may do nothing else.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace skald {

struct SpawnLimits {
  int64_t memory;   // bytes of its address space, as far as the system keeps to it
  int64_t seconds;  // of processor time
};

/// Starts a program, whose first argument is its path, in a process group of its own. Its standard input and output are
/// `socket`, and its messages are dropped. It may write no files. Returns its process. Throws Error (kDevice).
pid_t spawn(const std::vector<std::string>& arguments, int socket, const SpawnLimits& limits);

}  // namespace skald
