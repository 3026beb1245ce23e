// kimi-k2: ids that hold the name, functions.f:0, and JSON. Kimi K2 to K2.6.
#include "text/chat/replies/reply_format.h"

namespace skald {
namespace {

/// Of "functions.f:0".
void read_name(std::string_view text, ReplyCall& call) {
  constexpr std::string_view kPrefix = "functions.", kDigits = "0123456789";
  call.id = text;
  if (text.starts_with(kPrefix)) text.remove_prefix(kPrefix.size());
  const size_t colon = text.rfind(':');
  const bool counted =
      colon != std::string_view::npos && text.find_first_not_of(kDigits, colon + 1) == std::string_view::npos;
  call.name = text.substr(0, counted ? colon : text.size());
}

constexpr ReasoningMarks kReasoning[] = {{"<think>", "</think>"}, {"◁think▷", "◁/think▷"}};
constexpr CallSyntax kCalls[] = {NamedCalls{.open = "<|tool_call_begin|>",
                                            .name_end = "<|tool_call_argument_begin|>",
                                            .close = "<|tool_call_end|>",
                                            .read_name = read_name}};
constexpr CallShape kShapes[] = {
    {.trigger = "<|tool_calls_section_begin|>",
     .call = "<|tool_call_begin|>functions.$NAME:$INDEX<|tool_call_argument_begin|>$ARGUMENTS<|tool_call_end|>",
     .end = "<|tool_calls_section_end|>"},
};

}  // namespace

extern const ReplyFormat reply_format_kimi_k2;
const ReplyFormat reply_format_kimi_k2{.name = "kimi-k2",
                                       .is_of = [](std::string_view s) { return has(s, "<|tool_calls_section_begin|>"); },
                                       .marked = {.calls = kCalls,
                                                  .reasoning = kReasoning,
                                                  .section_open = "<|tool_calls_section_begin|>",
                                                  .section_close = "<|tool_calls_section_end|>"},
                                       .triggers = kShapes};

}  // namespace skald
