// Options that travel unchanged from flags and embedders to what follows them.
#pragma once

#include <functional>
#include <string>

namespace skald {

/// What computes, and how it keeps the weights.
struct DeviceOptions {
  std::string device = "cpu";  // a folder of src/backend
  int n_threads = 0;           // of steps of a few rows, as decoding has; 0: one per usable CPU
  int n_threads_batch = 0;     // of larger steps, as prompts have; 0: as n_threads
  std::string cpu_range = {};  // "0-3,8": each thread gets one of these CPUs to itself; empty: where the system likes
  std::string numa = {};       // "distribute" threads evenly over memory nodes, "isolate" all on one; empty: neither
  bool fused = true;           // false: attention as the textbook has it, with a matrix of all scores; a check, and slow
  bool repack = true;          // repack weights for fast matmuls when they are loaded; false: use them as they lie
  std::function<void(double)> progress = {};  // receives the share of the weights that was repacked, 0 to 1
};

}  // namespace skald
