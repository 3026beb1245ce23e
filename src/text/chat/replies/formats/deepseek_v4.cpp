// deepseek-v4: DSML, <｜DSML｜invoke> within <｜DSML｜tool_calls>.
#include "text/chat/replies/reply_format.h"

namespace skald {
namespace {

constexpr CallSyntax kCalls[] = {TaggedCalls{.open = "<｜DSML｜invoke name=\"",
                                             .name_end = ">",
                                             .key_open = "<｜DSML｜parameter name=\"",
                                             .key_end = ">",
                                             .value_close = "</｜DSML｜parameter>",
                                             .close = "</｜DSML｜invoke>",
                                             .outer_open = "<｜DSML｜tool_calls>",
                                             .outer_close = "</｜DSML｜tool_calls>"}};
constexpr CallShape kShapes[] = {
    {.trigger = "<｜DSML｜tool_calls>",
     .call = "\n<｜DSML｜invoke name=\"$NAME\">\n$ARGUMENTS</｜DSML｜invoke>",
     .end = "\n</｜DSML｜tool_calls>",
     .argument = "<｜DSML｜parameter name=\"$KEY\" string=\"$STRING\">$VALUE</｜DSML｜parameter>\n",
     .values = CallShape::Values::kText},
};

}  // namespace

extern const ReplyFormat reply_format_deepseek_v4;
const ReplyFormat reply_format_deepseek_v4{
    .name = "deepseek-v4",
    .is_of = [](std::string_view s) { return has(s, "｜DSML｜") && has(s, "tool_calls>") && !has(s, "function_calls>"); },
    .marked = {.calls = kCalls},
    .triggers = kShapes};

}  // namespace skald
