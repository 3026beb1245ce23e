// gigachat3.1: JSON after <|function_call|>.
#include "text/chat/replies/reply_format.h"

namespace skald {
namespace {

constexpr CallSyntax kCalls[] = {JsonCalls{.open = "<|function_call|>"}};
constexpr std::string_view kSilent[] = {"<|message_sep|>"};
constexpr CallShape kShapes[] = {
    {.trigger = "<|function_call|>", .call = "{\"name\": \"$NAME\", \"arguments\": $ARGUMENTS}", .alone = true},
};

}  // namespace

extern const ReplyFormat reply_format_gigachat3_1;
const ReplyFormat reply_format_gigachat3_1{
    .name = "gigachat3.1",
    .is_of = [](std::string_view s) { return has(s, "<|role_sep|>") && has(s, "<|function_call|>"); },
    .marked = {.calls = kCalls, .silent = kSilent},
    .triggers = kShapes,
    .single_calls = true};

}  // namespace skald
