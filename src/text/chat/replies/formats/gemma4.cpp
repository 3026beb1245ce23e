// gemma4: call:f{a:1} in a notation of its own, reasoning in a channel.
#include "text/chat/replies/reply_format.h"

namespace skald {
namespace {

constexpr ReasoningMarks kReasoning[] = {{"<|channel>thought", "<channel|>", true}};
constexpr CallSyntax kCalls[] = {NamedCalls{.open = "<|tool_call>call:",
                                            .name_end = "{",
                                            .close = "<tool_call|>",
                                            .values = NamedCalls::Values::kGemma,
                                            .keeps_name_end = true}};
constexpr std::string_view kSilent[] = {"<|tool_response>", "<turn|>"};
constexpr CallShape kShapes[] = {
    {.trigger = "<|tool_call>call:",
     .call = "$NAME{$ARGUMENTS}<tool_call|>",
     .between = "<|tool_call>call:",
     .argument = "$KEY:$VALUE",
     .comma = ",",
     .values = CallShape::Values::kGemma},
};

}  // namespace

extern const ReplyFormat reply_format_gemma4;
const ReplyFormat reply_format_gemma4{.name = "gemma4",
                                      .is_of = [](std::string_view s) { return has(s, "<|tool_call>"); },
                                      .marked = {.calls = kCalls, .reasoning = kReasoning, .silent = kSilent},
                                      .triggers = kShapes};

}  // namespace skald
