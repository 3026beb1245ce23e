// apertus: a list of JSON objects whose key is the name. Swiss AI Apertus.
#include "text/chat/replies/reply_format.h"

namespace skald {
namespace {

constexpr ReasoningMarks kReasoning[] = {{"<|inner_prefix|>", "<|inner_suffix|>", true}, {"<think>", "</think>"}};
constexpr CallSyntax kCalls[] = {JsonCalls{.open = "<|tools_prefix|>", .close = "<|tools_suffix|>", .name_is_key = true}};
constexpr CallShape kShapes[] = {
    {.trigger = "<|tools_prefix|>[", .call = "{\"$NAME\": $ARGUMENTS}", .between = ", ", .end = "]<|tools_suffix|>"},
};

}  // namespace

extern const ReplyFormat reply_format_apertus;
const ReplyFormat reply_format_apertus{.name = "apertus",
                                       .is_of = [](std::string_view s) { return has(s, "<|tools_prefix|>"); },
                                       .marked = {.calls = kCalls, .reasoning = kReasoning},
                                       .triggers = kShapes};

}  // namespace skald
