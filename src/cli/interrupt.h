// Ctrl-C: the first one asks for a clean end, the second one ends the program at once.
#pragma once

namespace skald {

inline constexpr int kInterruptedExit = 130;  // as shells report it

/// From now on SIGINT, SIGTERM and SIGHUP only set the flag below, once.
void catch_interrupts();
bool interrupted();

/// The same for a program that goes on after Ctrl-C: SIGINT interrupts reading from a terminal, and counts again after
/// forget_interrupt(). The other signals end the program.
void catch_interrupts_again_and_again();
void forget_interrupt();

}  // namespace skald
