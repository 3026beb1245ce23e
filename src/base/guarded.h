// The last guard of a thread: the exceptions of its work end there, and the log tells them.
#pragma once

#include <chrono>
#include <string_view>
#include <thread>
#include <utility>

namespace skald {

/// Logs the exception that is being handled: "<who>: <what it says>". Throws nothing: where the log itself fails, a line
/// goes to stderr as it is.
void log_failure(std::string_view who) noexcept;

/// Calls `f`. False when it threw, which was logged as a failure of `who`.
template <class F>
bool guarded(std::string_view who, F&& f) noexcept {
  try {
    std::forward<F>(f)();
    return true;
  } catch (...) {
    log_failure(who);
    return false;
  }
}

/// Calls `f` until it throws nothing, with a pause after each failure: for work that must not stay undone.
template <class F>
void surely(std::string_view who, F&& f) noexcept {
  constexpr std::chrono::milliseconds kPause{10};
  while (!guarded(who, f)) std::this_thread::sleep_for(kPause);
}

}  // namespace skald
