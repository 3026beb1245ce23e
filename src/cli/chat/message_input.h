// Messages out of lines: a line that ends in \ goes on, and """ opens and closes a block.
#pragma once

#include <functional>
#include <string>

#include "cli/chat/line_input.h"

namespace skald {

/// Reads a line that goes on from an earlier one or not.
using ReadLine = std::function<InputLine(bool goes_on)>;

/// One message. Ctrl-C in any of its lines drops it; at the end of the input its lines so far count.
InputLine read_message(const ReadLine& read_line);

/// Returns a line, with line feeds in it where the message has several lines, that read_message() makes the message of.
std::string as_typed(const std::string& message);

}  // namespace skald
