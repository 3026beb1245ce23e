// Reads replies whose parts are marked.
#pragma once

#include "text/chat/replies/reply_format.h"

namespace skald {

/// Reads replies of most formats. A marker that begins a call which is none is content, with the text after it. Within
/// reasoning, calls count only if they end the reply and the reasoning was not closed. An unfinished call of a reply that
/// was cut off is dropped.
Reading read_marked(ReplyReader& r, const MarkedReply& marked);

/// The same for calls as plain JSON, in a fence or not, that are the whole reply. They must be of given tools, with a name
/// and an object of arguments, in this order. Given up at the first byte that is another's.
Reading read_loose_calls(ReplyReader& r, const MarkedReply& marked);

/// Reads content that is nothing but calls, and silent markers after them. False: it is not, and the position is where that
/// was clear.
Reading read_bare_calls(ReplyReader& r, const MarkedReply& marked);

/// Reads white space and silent markers up to the reply's end. False: something else follows.
Reading take_end(ReplyReader& r, const MarkedReply& marked);

}  // namespace skald
