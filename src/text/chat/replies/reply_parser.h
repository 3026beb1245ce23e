// ReplyParser: the text of a reply, as it comes, into content, reasoning and tool calls.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "skald/reply.h"
#include "text/chat/replies/reply_format.h"
#include "text/chat/replies/reply_tools.h"

namespace skald {

struct ReplyOptions {
  ReplyTools tools = {};
  /// How the prompt ended, so that a reply that begins within the reasoning is read so.
  std::string generation_prompt = {};
};

/// The deltas of a text, put together, do not depend on the pieces in which it came. Takes time and memory in proportion to
/// any text; a call is held back until it is whole.
class ReplyParser {
 public:
  explicit ReplyParser(const ReplyFormat& format, ReplyOptions options = {});
  ~ReplyParser();
  ReplyParser(ReplyParser&&) noexcept;
  ReplyParser& operator=(ReplyParser&&) noexcept;

  /// Bytes may end within a character or a marker.
  std::vector<ReplyDelta> push(std::string_view bytes);
  /// The reply ends. `truncated`: it was cut off, so that a call that has not ended is none; nothing of it is given out.
  /// Nothing is pushed afterwards.
  std::vector<ReplyDelta> finish(bool truncated = false);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Reads a whole reply at once.
Reply parse_reply(const ReplyFormat& format, std::string_view text, ReplyOptions options = {}, bool truncated = false);

}  // namespace skald
