#include "cli/terminal/interrupt.h"

#include <poll.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "cli/process.h"

namespace skald {
namespace {

// A signal handler can reach nothing but a global.
volatile std::sig_atomic_t g_interrupted = 0;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

constexpr std::array<int, 3> kCaught{SIGINT, SIGTERM, SIGHUP};

void on_signal(int number) {
  if (g_interrupted) end_by_signal(number);
  g_interrupted = 1;
}

}  // namespace

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;  // writing to a slow reader goes on after the first
  for (const int number : kCaught) sigaction(number, &action, nullptr);
}

CatchingInterrupts::CatchingInterrupts() {
  for (size_t i = 0; i < before_.size(); ++i) sigaction(kCaught[i], nullptr, &before_[i]);
  catch_interrupts();
}

CatchingInterrupts::~CatchingInterrupts() {
  for (size_t i = 0; i < before_.size(); ++i) sigaction(kCaught[i], &before_[i], nullptr);
}

void catch_interrupts_again_and_again() {
  struct sigaction action = {};
  action.sa_handler = [](int) { g_interrupted = 1; };
  sigaction(SIGINT, &action, nullptr);
}

void forget_interrupt() { g_interrupted = 0; }

bool interrupted() { return g_interrupted != 0; }

void throw_if_interrupted() {
  if (interrupted()) throw Interrupted();
}

// A pipe tells that its reader is gone before something is written to it.
bool stop_wanted() {
  pollfd out{.fd = STDOUT_FILENO, .events = 0, .revents = 0};
  return interrupted() || std::ferror(stdout) || (poll(&out, 1, 0) > 0 && (out.revents & (POLLERR | POLLHUP)));
}

}  // namespace skald
