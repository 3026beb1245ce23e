// CallWriter: calls of tools as a format writes them, as rules of a grammar.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sampling/grammar/grammar.h"
#include "sampling/grammar/marker_spelling.h"
#include "sampling/grammar/replies/tool_list.h"
#include "skald/grammar_params.h"
#include "text/chat/replies/reply_format.h"
#include "text/chat/replies/reply_tools.h"

namespace skald {

struct CallOptions {
  JsonWhitespace whitespace = JsonWhitespace::kSingle;  // of arguments that are JSON
  bool parallel = true;                                 // several calls, else one
  std::function<void(std::string)> warn = {};           // hears what is ignored; may be empty
};

class CallWriter {
 public:
  /// All outlive it.
  CallWriter(Grammar& grammar, const MarkerSpelling& markers, std::span<const ToolSchema> tools, const ReplyTools& kinds,
             const CallOptions& options);

  struct Calls {
    ExprId expr;
    bool ends_turn;  // nothing can follow: they end with an end token
  };
  /// Calls of the shape, of whose first text `there` bytes are there already. Throws Error naming the tool whose name cannot
  /// be written, or whose schema cannot be enforced, and then the keyword.
  Calls calls(const CallShape& shape, size_t there);
  /// `text` as control tokens and text, less its first bytes: `there` of those that are shown.
  ExprId marker(std::string_view text, size_t there = 0);

 private:
  ExprId filled(const CallShape& shape, std::string_view text, const ToolSchema& tool, bool& ends);
  ExprId arguments(const CallShape& shape, const ToolSchema& tool);
  ExprId one_of_tools(const CallShape& shape, std::string_view text, bool& ends);

  Grammar& grammar_;
  const MarkerSpelling& markers_;
  std::span<const ToolSchema> tools_;
  const ReplyTools& kinds_;
  const CallOptions& options_;
  std::map<std::pair<const CallShape*, const ToolSchema*>, ExprId> arguments_;
};

}  // namespace skald
