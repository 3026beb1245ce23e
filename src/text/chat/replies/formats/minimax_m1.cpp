// minimax-m1: JSON, a call a line, between <tool_calls> and </tool_calls>.
#include "text/chat/replies/reply_format.h"

namespace skald {
namespace {

constexpr CallSyntax kCalls[] = {JsonCalls{.open = "<tool_calls>", .close = "</tool_calls>"}};
constexpr CallShape kShapes[] = {
    {.trigger = "<tool_calls>", .call = "\n{\"name\": \"$NAME\", \"arguments\": $ARGUMENTS}", .end = "\n</tool_calls>"},
};

}  // namespace

extern const ReplyFormat reply_format_minimax_m1;
const ReplyFormat reply_format_minimax_m1{
    .name = "minimax-m1",
    .is_of = [](std::string_view s) { return has(s, "<tool_calls>") && !has(s, "<tool_calls>[") && !has(s, "｜DSML｜"); },
    .marked = {.calls = kCalls},
    .triggers = kShapes};

}  // namespace skald
