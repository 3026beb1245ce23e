// The window of a terminal.
#pragma once

namespace skald {

/// Returns the cells of a line in the window of a file descriptor as it is now, 80 where the terminal does not say; 0 where
/// the descriptor is no terminal.
int window_columns(int fd);

}  // namespace skald
