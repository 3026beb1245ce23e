#include "cli/interrupt.h"

#include <csignal>

namespace skald {
namespace {

// A signal handler can reach nothing but a global.
volatile std::sig_atomic_t g_interrupted = 0;  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)

void on_signal(int) { g_interrupted = 1; }

}  // namespace

void catch_interrupts() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  // The second one has its usual effect; and writing to a slow reader goes on after the first.
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGHUP, &action, nullptr);
}

bool interrupted() { return g_interrupted != 0; }

}  // namespace skald
