// mistral: [TOOL_CALLS] with a list of JSON (to 2024), or name[ARGS]JSON, without [ARGS] too; reasoning in [THINK].
#include "text/chat/replies/reply_format.h"

namespace skald {
namespace {

void read_name(std::string_view text, ReplyCall& call) {
  constexpr std::string_view kId = "[CALL_ID]";
  const size_t id = text.find(kId);
  call.name = text.substr(0, id);
  if (id != std::string_view::npos) call.id = text.substr(id + kId.size());
}

constexpr ReasoningMarks kReasoning[] = {{"[THINK]", "[/THINK]", true}, {"<think>", "</think>"}};
constexpr CallSyntax kCalls[] = {JsonCalls{.open = "[TOOL_CALLS]"},
                                 NamedCalls{.open = "[TOOL_CALLS]", .name_end = "[ARGS]", .read_name = read_name},
                                 NamedCalls{.open = "[TOOL_CALLS]", .name_end = "{", .keeps_name_end = true}};
constexpr CallShape kShapes[] = {{.trigger = "[TOOL_CALLS]", .call = "$NAME[ARGS]$ARGUMENTS", .between = "[TOOL_CALLS]"}};

}  // namespace

extern const ReplyFormat reply_format_mistral;
const ReplyFormat reply_format_mistral{.name = "mistral",
                                       .is_of = [](std::string_view s) { return has(s, "[TOOL_CALLS]"); },
                                       .marked = {.calls = kCalls, .reasoning = kReasoning, .loose = true},
                                       .triggers = kShapes,
                                       .short_ids = true};

}  // namespace skald
