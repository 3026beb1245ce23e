// Replies as the chat API writes them, and the pieces that a text is given in.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "skald/model.h"
#include "text/chat/replies/reply_parser.h"

namespace skald {

/// {"content": text or null, "reasoning_content": text or null, "tool_calls": [{"name", "arguments"}]} and a line feed.
std::string reply_json(const Reply& reply);

/// A delta of the chat API in one line.
std::string delta_line(const ReplyDelta& delta);

/// Pieces of `bytes` bytes, the last maybe shorter; 0: one piece.
std::vector<std::string_view> equal_pieces(std::string_view text, size_t bytes);

/// A JSON text per line; empty lines say nothing. Throws kBadInput naming a line that is none.
std::vector<std::string> listed_pieces(std::string_view lines);

/// The chat template of a model file or Hugging Face folder, of whose weights nothing is read. Throws Error naming the file.
std::string model_template(const std::string& path, const LoadOptions& options);

}  // namespace skald
