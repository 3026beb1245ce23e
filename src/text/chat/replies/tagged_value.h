// A value between tags: where it ends, though the tags may be part of it.
#pragma once

#include <string_view>

#include "text/chat/replies/argument_list.h"
#include "text/chat/replies/call_syntax.h"

namespace skald {

/// The call that a value belongs to, as far as it was read.
struct CallSoFar {
  const std::string& name;
  const ArgumentList& arguments;
};

/// Reads a value and its value_close. A tag ends it only where the text after it goes on with the call: a value_close in
/// front of the next argument or of the call's end. A value_close that was left out is seen where a line begins with the
/// next argument, or where the whole call ends. False: the value does not end.
Reading take_value(ReplyReader& r, const TaggedCalls& s, CallSoFar call, size_t& end);

/// Without one line feed at each end.
std::string_view without_line_feeds(std::string_view value);

}  // namespace skald
