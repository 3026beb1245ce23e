// glm-4.7: <arg_key> and <arg_value> without line feeds. GLM-4.7 and 5.
#include "text/chat/replies/reply_format.h"

namespace skald {
namespace {

constexpr CallSyntax kCalls[] = {JsonCalls{.open = "<tool_call>", .close = "</tool_call>"},
                                 TaggedCalls{.open = "<tool_call>",
                                             .name_end = {},
                                             .key_open = "<arg_key>",
                                             .key_end = "</arg_key>",
                                             .value_close = "</arg_value>",
                                             .close = "</tool_call>",
                                             .value_open = "<arg_value>"}};
constexpr CallShape kShapes[] = {
    {.trigger = "<tool_call>",
     .call = "$NAME$ARGUMENTS</tool_call>",
     .between = "<tool_call>",
     .argument = "<arg_key>$KEY</arg_key><arg_value>$VALUE</arg_value>",
     .values = CallShape::Values::kText},
};

}  // namespace

extern const ReplyFormat reply_format_glm_4_7;
const ReplyFormat reply_format_glm_4_7{
    .name = "glm-4.7",
    .is_of = [](std::string_view s) { return has(s, "<arg_key>") && !has(s, "</arg_key>\n") && !has(s, "</arg_key>\\n"); },
    .marked = {.calls = kCalls},
    .triggers = kShapes};

}  // namespace skald
