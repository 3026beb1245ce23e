// glm-4.5: <arg_key> and <arg_value> on lines of their own. GLM-4.5 and 4.6.
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
     .call = "$NAME\n$ARGUMENTS</tool_call>",
     .between = "\n<tool_call>",
     .argument = "<arg_key>$KEY</arg_key>\n<arg_value>$VALUE</arg_value>\n",
     .values = CallShape::Values::kText},
};

}  // namespace

extern const ReplyFormat reply_format_glm_4_5;
const ReplyFormat reply_format_glm_4_5{
    .name = "glm-4.5",
    .is_of = [](std::string_view s) { return has(s, "<arg_key>") && (has(s, "</arg_key>\n") || has(s, "</arg_key>\\n")); },
    .marked = {.calls = kCalls},
    .triggers = kShapes};

}  // namespace skald
