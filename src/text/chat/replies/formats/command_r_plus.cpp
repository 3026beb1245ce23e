// command-r-plus: Action: and a list of JSON in a code fence. Command R and R+.
#include "text/chat/replies/reply_format.h"

namespace skald {
namespace {

constexpr CallSyntax kCalls[] = {JsonCalls{.open = "Action:"}};
constexpr CallShape kShapes[] = {
    {.trigger = "Action:",
     .call = " ```json\n[\n    {\n        \"tool_name\": \"$NAME\",\n        \"parameters\": $ARGUMENTS\n    }\n]```",
     .alone = true},
};

}  // namespace

extern const ReplyFormat reply_format_command_r_plus;
const ReplyFormat reply_format_command_r_plus{
    .name = "command-r-plus",
    .is_of = [](std::string_view s) { return has(s, "Action:") && has(s, "\"tool_name\"") && !has(s, "<|START_ACTION|>"); },
    .marked = {.calls = kCalls},
    .triggers = kShapes};

}  // namespace skald
