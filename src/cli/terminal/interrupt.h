// Ctrl-C: the first one asks for a clean end, the second one ends the program at once.
#pragma once

#include <array>
#include <csignal>

namespace skald {

inline constexpr int kInterruptedExit = 130;  // as shells report it

/// From now on SIGINT, SIGTERM and SIGHUP only set the flag below, once.
void catch_interrupts();
bool interrupted();

/// The exception that ends work at Ctrl-C; main makes exit code 130 of it.
struct Interrupted {};
void throw_if_interrupted();

/// catch_interrupts() for a while: afterwards signals do as before.
class CatchingInterrupts {
 public:
  CatchingInterrupts();
  ~CatchingInterrupts();
  CatchingInterrupts(const CatchingInterrupts&) = delete;
  CatchingInterrupts& operator=(const CatchingInterrupts&) = delete;

 private:
  std::array<struct sigaction, 3> before_;  // of the three
};

/// Tells whether text that is written goes nowhere: Ctrl-C came, or stdout has no reader any more.
bool stop_wanted();

/// The same for a program that goes on after Ctrl-C: SIGINT interrupts reading from a terminal, and counts again after
/// forget_interrupt(). The other signals end the program.
void catch_interrupts_again_and_again();
void forget_interrupt();

}  // namespace skald
