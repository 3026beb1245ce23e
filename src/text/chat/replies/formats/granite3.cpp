// granite3: a list of JSON after <|tool_call|>. Granite 3, Phi-4-mini.
#include "text/chat/replies/reply_format.h"

namespace skald {
namespace {

constexpr CallSyntax kCalls[] = {JsonCalls{.open = "<|tool_call|>"}};
constexpr std::string_view kSilent[] = {"<|/tool_call|>"};
constexpr CallShape kShapes[] = {
    {.trigger = "<|tool_call|>[", .call = "{\"name\": \"$NAME\", \"arguments\": $ARGUMENTS}", .between = ", ", .end = "]"},
};

}  // namespace

extern const ReplyFormat reply_format_granite3;
const ReplyFormat reply_format_granite3{.name = "granite3",
                                        .is_of = [](std::string_view s) { return has(s, "<|tool_call|>"); },
                                        .marked = {.calls = kCalls, .silent = kSilent, .loose = true},
                                        .triggers = kShapes};

}  // namespace skald
