// solar-open: an id, the name and JSON between tokens; reasoning as a message of its own. Upstage Solar Open.
#include "text/chat/replies/reply_format.h"

namespace skald {
namespace {

void read_name(std::string_view text, ReplyCall& call) {
  constexpr std::string_view kName = "<|tool_call:name|>";
  const size_t at = text.find(kName);
  if (at == std::string_view::npos) return;
  call.id = text.substr(0, at);
  call.name = text.substr(at + kName.size());
}

constexpr ReasoningMarks kReasoning[] = {{"<|think|>", "<|end|>", true}};
// After the reasoning comes another message.
constexpr ReasoningMarks kFirstMessage[] = {{"<|think|>", "<|end|><|begin|>assistant", true}};
constexpr CallSyntax kCalls[] = {NamedCalls{
    .open = "<|tool_call:begin|>", .name_end = "<|tool_call:args|>", .close = "<|tool_call:end|>", .read_name = read_name}};
constexpr std::string_view kSilent[] = {"<|begin|>assistant", "<|content|>", "<|end|>", "<|flush|>"};
constexpr CallShape kShapes[] = {
    {.trigger = "<|tool_calls|>",
     .call = "<|tool_call:begin|>$ID<|tool_call:name|>$NAME<|tool_call:args|>$ARGUMENTS<|tool_call:end|>",
     .end = "<|calls|>"},
};

}  // namespace

extern const ReplyFormat reply_format_solar_open;
const ReplyFormat reply_format_solar_open{.name = "solar-open",
                                          .is_of = [](std::string_view s) { return has(s, "<|tool_call:begin|>"); },
                                          .marked = {.calls = kCalls,
                                                     .reasoning = kReasoning,
                                                     .section_open = "<|tool_calls|>",
                                                     .section_close = "<|calls|>",
                                                     .silent = kSilent},
                                          .triggers = kShapes,
                                          .content = {.reasoning = kFirstMessage, .open = "<|content|>"}};

}  // namespace skald
