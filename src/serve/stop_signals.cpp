#include "serve/stop_signals.h"

#include <pthread.h>

#include <utility>

#include "base/guarded.h"

namespace skald::serve {

// SIGUSR1 ends the waiting thread.
StopSignals::StopSignals() {
  sigemptyset(&signals_);
  for (const int number : {SIGTERM, SIGINT, SIGUSR1}) sigaddset(&signals_, number);
  pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, nullptr);
  sigaction(SIGHUP, &ignore, nullptr);
}

StopSignals::~StopSignals() {
  end();
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void StopSignals::begin(std::function<void()> told) {
  thread_ = std::thread([this, told = std::move(told)] {
    for (int number = 0; sigwait(&signals_, &number) == 0 && number != SIGUSR1;) surely("serve: a signal to stop", told);
  });
}

void StopSignals::end() {
  if (!thread_.joinable()) return;
  pthread_kill(thread_.native_handle(), SIGUSR1);
  thread_.join();
}

}  // namespace skald::serve
