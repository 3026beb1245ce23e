// Programs of the machine that read bytes of clients: each runs by itself, within limits, and no shell
// reads its arguments.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace skald::serve {

struct ProgramLimits {
  std::chrono::milliseconds time{20'000};
  int64_t memory = int64_t{512} << 20;  // bytes of its address space
  int64_t output = int64_t{4} << 20;    // bytes
};

enum class ProgramEnd : uint8_t {
  kExit,    // by itself, or by a signal
  kTime,    // it was killed: it took too long
  kOutput,  // it was killed: it wrote too much
};

struct ProgramResult {
  ProgramEnd end;
  int status;  // of the exit; -1: a signal ended it
  std::string output;
};

/// Returns the path of a program in the absolute folders of PATH; empty where none has it.
std::string find_program(std::string_view name);

/// Runs a program, whose first argument is its path, on `input` and returns its output. It gets no other file than its
/// standard ones, and its messages are dropped. `look` is called all the time; its exceptions kill the program. Throws
/// Error (kDevice) where the program cannot be started.
ProgramResult run_program(const std::vector<std::string>& arguments, std::string_view input, const ProgramLimits& limits,
                          const std::function<void()>& look);

}  // namespace skald::serve
