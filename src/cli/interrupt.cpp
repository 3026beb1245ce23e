#include "cli/interrupt.h"

#include <csignal>

#include "cli/process.h"

namespace skald {
namespace {

// A signal handler can reach nothing but a global.
volatile std::sig_atomic_t g_interrupted = 0;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

void on_signal(int number) {
  if (g_interrupted) end_by_signal(number);
  g_interrupted = 1;
}

}  // namespace

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;  // writing to a slow reader goes on after the first
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGHUP, &action, nullptr);
}

void catch_interrupts_again_and_again() {
  struct sigaction action = {};
  action.sa_handler = [](int) { g_interrupted = 1; };
  sigaction(SIGINT, &action, nullptr);
}

void forget_interrupt() { g_interrupted = 0; }

bool interrupted() { return g_interrupted != 0; }

}  // namespace skald
