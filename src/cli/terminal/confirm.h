// Questions to the user at the terminal.
#pragma once

#include <string>

namespace skald {

/// Asks on stderr and reads a line of standard input: whether it is "y" or "yes". No answer is no.
bool confirmed(const std::string& question);

/// Tells whether there is a user to ask: standard input and stderr are terminals.
bool can_ask();

}  // namespace skald
