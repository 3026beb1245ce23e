#include "text/chat/jinja/run/budget.h"

#include "base/interruption.h"
#include "base/thread_seconds.h"
#include "text/chat/jinja/run/failure.h"

namespace skald::jinja {
namespace {

constexpr int64_t kLookEvery = 4096;

}  // namespace

Budget::Budget(const Limits& limits)
    : limits_(limits),
      left_(limits.steps),
      next_look_(limits.steps - kLookEvery),
      end_(thread_seconds() + std::chrono::duration<double>(limits.time).count()),
      base_(static_cast<const char*>(__builtin_frame_address(0))) {}

void Budget::look() {
  if (left_ < 0) raise(ErrorKind::kLimit, "more than {} steps", limits_.steps);
  Interruption::point(kLookEvery);
  if (thread_seconds() > end_)
    raise(ErrorKind::kLimit, "it takes more time than {} s", static_cast<double>(limits_.time.count()) / 1000);
  next_look_ = left_ - kLookEvery;
}

void Budget::check_memory(size_t bytes) const {
  if (bytes > limits_.memory || memory_ + bytes > limits_.memory)
    raise(ErrorKind::kLimit, "its values take more than {} MiB of memory", limits_.memory >> 20);
}

void Budget::fail_depth() const { raise(ErrorKind::kRecursion, "the template or a value is nested too deeply"); }

void Budget::fail_text() const { raise(ErrorKind::kLimit, "output or a text of more than {} MiB", limits_.output >> 20); }

void Budget::fail_memory(size_t bytes) {
  memory_ -= bytes;
  raise(ErrorKind::kLimit, "its values take more than {} MiB of memory", limits_.memory >> 20);
}

}  // namespace skald::jinja
