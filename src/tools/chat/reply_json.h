// Replies as the chat API writes them, and the pieces that a text is given in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/chat/replies/reply_parser.h"

namespace skald {

/// {"content": text or null, "reasoning_content": text or null, "tool_calls": [{"name", "arguments"}]} and a line feed.
std::string reply_json(const Reply& reply);

/// Returns a delta of the chat API in one line.
std::string delta_line(const ReplyDelta& delta);

/// Pieces of `bytes` bytes, the last maybe shorter; 0: one piece.
std::vector<std::string_view> equal_pieces(std::string_view text, size_t bytes);

}  // namespace skald
