#include "serve/stop_signals.h"

#include <pthread.h>
#include <unistd.h>

#include <utility>

#include "base/guarded.h"

namespace skald::serve {
namespace {

constexpr std::array<int, 2> kStopping{SIGTERM, SIGINT};

// Runs on a thread that does not block `number`: it does after its return, and the process gets the signal again.
void leave_to_the_waiting_thread(int number, siginfo_t*, void* context) {
  sigaddset(&static_cast<ucontext_t*>(context)->uc_sigmask, number);
  kill(getpid(), number);
}

}  // namespace

// SIGUSR1 ends the waiting thread.
StopSignals::StopSignals() {
  sigemptyset(&signals_);
  for (const int number : {SIGTERM, SIGINT, SIGUSR1}) sigaddset(&signals_, number);
  pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  struct sigaction leave {};
  leave.sa_sigaction = leave_to_the_waiting_thread;
  leave.sa_flags = SA_SIGINFO | SA_RESTART;
  for (size_t i = 0; i < kStopping.size(); ++i) sigaction(kStopping[i], &leave, &actions_before_[i]);
  struct sigaction ignore {};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGPIPE, &ignore, nullptr);
  sigaction(SIGHUP, &ignore, nullptr);
}

StopSignals::~StopSignals() {
  end();
  for (size_t i = 0; i < kStopping.size(); ++i) sigaction(kStopping[i], &actions_before_[i], nullptr);
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
