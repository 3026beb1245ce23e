// Cells: the room that characters take in a line of a terminal.
#pragma once

#include <cstdint>

namespace skald {

/// Makes UTF-8 the C library's encoding, whose tables know the widths of characters. Call it before other threads are at
/// work.
void use_utf8();

/// Returns the cells of a code point that is no control character: 2 of a wide one, 0 of a combining mark, else 1. Needs
/// use_utf8().
int cells_of(uint32_t code_point);

}  // namespace skald
