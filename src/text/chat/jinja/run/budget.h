// Budget: the limits of reading and rendering one template.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace skald::jinja {

struct Limits {
  int64_t steps = 100'000'000;           // nodes evaluated, items looped over, and blocks of 16 bytes handled
  std::chrono::milliseconds time{2000};  // of the thread: others cost it nothing
  size_t output = size_t{16} << 20;      // bytes of the result, and of any text on the way
  size_t memory = size_t{256} << 20;     // of all values alive
  size_t stack = size_t{1536} << 10;     // of the thread: bounds the depth of templates and values
};

/// Throws Failure (kLimit, kRecursion) saying which limit was reached. For one thread.
class Budget {
 public:
  explicit Budget(const Limits& limits);

  /// Counts this many steps.
  void spend(int64_t steps) {
    left_ -= steps;
    if (left_ < next_look_) look();
  }
  void step() { spend(1); }
  /// Counts work on each of this many bytes.
  void spend_bytes(size_t bytes) { spend(static_cast<int64_t>(bytes / 16 + 1)); }

  /// For functions that call themselves, directly or not.
  void check_depth() const {
    const char* here = static_cast<const char*>(__builtin_frame_address(0));
    if (static_cast<size_t>(base_ > here ? base_ - here : here - base_) > limits_.stack) fail_depth();
  }

  /// Called before a text of this many bytes is made.
  void check_text(size_t bytes) const {
    if (bytes > limits_.output) fail_text();
  }

  void take_memory(size_t bytes) {
    memory_ += bytes;
    if (memory_ > limits_.memory) fail_memory(bytes);
  }
  void give_memory(size_t bytes) { memory_ -= bytes; }
  /// Before something of this size is made.
  void check_memory(size_t bytes) const;

  const Limits& limits() const { return limits_; }

 private:
  void look();
  [[noreturn]] void fail_depth() const;
  [[noreturn]] void fail_text() const;
  [[noreturn]] void fail_memory(size_t bytes);

  Limits limits_;
  int64_t left_, next_look_;  // the clock is read when `left_` falls below
  size_t memory_ = 0;
  double end_;  // of the time, by the thread's clock
  const char* base_;
};

}  // namespace skald::jinja
