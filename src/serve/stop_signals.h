// StopSignals: SIGTERM and SIGINT as calls of a function, on a thread of their own.
#pragma once

#include <array>
#include <csignal>
#include <functional>
#include <thread>

namespace skald::serve {

/// Other threads never see these signals: ones made later inherit that, ones that a library made before learn it
/// at the first. SIGPIPE and SIGHUP are ignored.
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
  std::array<struct sigaction, 2> actions_before_{};
  std::thread thread_;
};

}  // namespace skald::serve
