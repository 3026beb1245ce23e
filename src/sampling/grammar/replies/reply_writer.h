// ReplyWriter: the parts of a reply as rules of a grammar.
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sampling/grammar/free_text.h"
#include "sampling/grammar/replies/call_writer.h"

namespace skald {

class ReplyWriter {
 public:
  /// `content`: the rule of the content, if a grammar says what it must be. All outlive it.
  ReplyWriter(Grammar& grammar, const ReplyFormat& format, const ReplyParams& reply, const MarkerSpelling& markers,
              std::optional<RuleId> content, const CallOptions& options);

  /// Throws as make_reply() says.
  ExprId reply();

 private:
  using Choice = ReplyParams::ToolChoice;

  ExprId after(std::string_view before, ExprId gap);
  ExprId free_text(std::string_view before);
  ExprId wanted_calls(std::string_view before);
  ExprId wanted_content(std::string_view before, ExprId gap);
  ExprId more_text();
  ExprId behind_shape(const CallShape& shape, size_t there);
  ExprId lead(const CallShape& shape, RegexId never);
  ExprId whole_calls(std::string_view before, ExprId gap);
  ExprId reasoned(const ReasoningMarks& marks, ExprId begin);
  size_t mark_end(const CallShape& shape);
  std::span<const ReasoningMarks> reasoning() const;
  std::vector<const CallShape*> call_shapes() const;

  ExprId sequence(std::initializer_list<ExprId> parts) { return grammar_.sequence({parts.begin(), parts.size()}); }
  ExprId regex(RegexId id) { return grammar_.terminal(id); }
  ExprId empty() { return grammar_.sequence({}); }

  Grammar& grammar_;
  const ReplyFormat& format_;
  const ReplyParams& reply_;
  const MarkerSpelling& markers_;
  const std::optional<RuleId> content_;
  const CallOptions& options_;
  const std::vector<ToolSchema> tools_;
  const ReplyTools kinds_;
  CallWriter calls_;
  FreeText free_;
  ExprId gap_;
  std::optional<RuleId> more_;
};

}  // namespace skald
