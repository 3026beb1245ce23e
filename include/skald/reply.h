// The content, reasoning and tool calls of a reply, at once or as deltas of the chat API.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace skald {

struct ReplyCall {
  std::string name;
  std::string arguments = "{}";  // JSON text of an object, as in the API
  std::string id = {};           // where the reply gives one

  friend bool operator==(const ReplyCall&, const ReplyCall&) = default;
};

struct ReplyDelta {
  enum class Kind : uint8_t { kContent, kReasoning, kCall };
  Kind kind;
  std::string text = {};  // of content and reasoning: whole UTF-8 characters
  int index = 0;          // of a call among the reply's calls
  ReplyCall call = {};    // whole: nothing of a call is given out before it has ended
};

/// Holds the sum of deltas. Empty texts are absent ones.
struct Reply {
  std::string content = {}, reasoning = {};
  std::vector<ReplyCall> calls = {};

  void add(std::span<const ReplyDelta> deltas);
  friend bool operator==(const Reply&, const Reply&) = default;
};

}  // namespace skald
#pragma GCC visibility pop
