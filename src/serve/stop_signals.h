// StopSignals: SIGTERM and SIGINT as calls of a function, on a thread of their own.
#pragma once

#include <csignal>
#include <functional>
#include <thread>

namespace skald::serve {

/// Threads that are made during its life never get these signals. SIGPIPE and SIGHUP are ignored.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  /// From now on `told` is called at each of them; those that came before count.
  void begin(std::function<void()> told);
  /// No more calls come.
  void end();

 private:
  sigset_t signals_{}, before_{};
  std::thread thread_;
};

}  // namespace skald::serve
