// Ctrl-C: the first one asks for a clean end, the second one ends the program at once.
#pragma once

namespace skald {

inline constexpr int kInterruptedExit = 130;  // as shells report it

/// From now on SIGINT, SIGTERM and SIGHUP only set the flag below, once.
void catch_interrupts();
bool interrupted();

}  // namespace skald
