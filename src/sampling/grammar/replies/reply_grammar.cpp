#include "sampling/grammar/replies/reply_grammar.h"

#include <algorithm>

#include "base/error.h"
#include "sampling/grammar/fold_regular.h"
#include "sampling/grammar/replies/reply_writer.h"

namespace skald {
namespace {

bool has_calls(const ReplyFormat& format) {
  return std::ranges::any_of(format.triggers,
                             [](const CallShape& s) { return s.call.find("$NAME") != std::string_view::npos; });
}

// What the format or the request cannot hold is said, not dropped.
void check(const ReplyFormat& format, const ReplyParams& reply, const std::function<void(std::string)>& warn) {
  const bool required = reply.choice == ReplyParams::ToolChoice::kRequired || !reply.tool.empty();
  if (reply.tools.empty() && required) fail(Errc::kBadInput, "tool choice: there are no tools that could be called");
  if (reply.tools.empty() || has_calls(format)) return;
  if (required) fail(Errc::kUnsupported, "tool choice: the model's format \"{}\" has no calls", format.name);
  if (warn && reply.choice != ReplyParams::ToolChoice::kNone)
    warn(fmt::format("tools: the model's format \"{}\" has no calls; none will come", format.name));
}

}  // namespace

void make_reply(Grammar& grammar, const GrammarParams& params, const MarkerSpelling& markers,
                const std::function<void(std::string)>& warn) {
  const ReplyFormat& format = find_reply_format(params.reply.format);
  check(format, params.reply, warn);
  const CallOptions options{.whitespace = params.whitespace, .parallel = params.reply.parallel, .warn = warn};
  std::optional<RuleId> content;
  if (params.kind != GrammarParams::Kind::kNone) content = grammar.start();
  ReplyWriter writer(grammar, format, params.reply, markers, content, options);
  const RuleId reply = grammar.add_rule("reply");
  grammar.define(reply, writer.reply());
  grammar.set_start(reply);
}

}  // namespace skald
