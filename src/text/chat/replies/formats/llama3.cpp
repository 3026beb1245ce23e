// llama3: JSON with "parameters" as the whole reply, or after <|python_tag|>; built-in tools as Python. Llama 3.1 to 3.3.
#include "text/chat/replies/reply_format.h"

namespace skald {
namespace {

constexpr CallSyntax kCalls[] = {JsonCalls{.open = "<|python_tag|>"},
                                 PythonCalls{.open = "<|python_tag|>", .method = ".call"}};
constexpr std::string_view kSilent[] = {"<|eom_id|>", "<|eot_id|>"};
constexpr CallShape kShapes[] = {
    {.trigger = "<|python_tag|>", .call = "{\"name\": \"$NAME\", \"parameters\": $ARGUMENTS}", .between = "; "},
    {.trigger = "{\"name\": \"", .call = "$NAME\", \"parameters\": $ARGUMENTS}", .alone = true, .whole = true},
};

}  // namespace

extern const ReplyFormat reply_format_llama3;
const ReplyFormat reply_format_llama3{
    .name = "llama3",
    .is_of =
        [](std::string_view s) {
          return has(s, "dictionary of argument name and its value") && !has(s, "<|header_start|>");
        },
    .marked = {.calls = kCalls, .silent = kSilent, .bare = MarkedReply::Bare::kJson, .loose = true},
    .triggers = kShapes,
    .single_calls = true};

}  // namespace skald
