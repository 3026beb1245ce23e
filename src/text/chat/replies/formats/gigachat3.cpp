// gigachat3: JSON as a message of the role "function call".
#include "text/chat/replies/reply_format.h"

namespace skald {
namespace {

constexpr CallSyntax kCalls[] = {JsonCalls{.open = "function call<|role_sep|>"}};
constexpr std::string_view kSilent[] = {"<|message_sep|>"};
constexpr CallShape kShapes[] = {
    {.trigger = "<|message_sep|>\n\nfunction call<|role_sep|>",
     .call = "\n{\"name\": \"$NAME\", \"arguments\": $ARGUMENTS}",
     .alone = true},
};

}  // namespace

extern const ReplyFormat reply_format_gigachat3;
const ReplyFormat reply_format_gigachat3{
    .name = "gigachat3",
    .is_of =
        [](std::string_view s) { return has(s, "<|role_sep|>") && has(s, "function call") && !has(s, "<|function_call|>"); },
    .marked = {.calls = kCalls, .silent = kSilent},
    .triggers = kShapes,
    .single_calls = true};

}  // namespace skald
