// deepseek-v4.1: DSML with a space in the tags, within <｜DSML｜ calls>.
#include "text/chat/replies/reply_format.h"

namespace skald {
namespace {

constexpr CallSyntax kCalls[] = {TaggedCalls{.open = "<｜DSML｜ invoke name=\"",
                                             .name_end = ">",
                                             .key_open = "<｜DSML｜ parameter name=\"",
                                             .key_end = ">",
                                             .value_close = "</｜DSML｜ parameter>",
                                             .close = "</｜DSML｜ invoke>",
                                             .outer_open = "<｜DSML｜ calls>",
                                             .outer_close = "</｜DSML｜ calls>"}};
constexpr CallShape kShapes[] = {
    {.trigger = "<｜DSML｜ calls>",
     .call = "\n<｜DSML｜ invoke name=\"$NAME\">\n$ARGUMENTS</｜DSML｜ invoke>",
     .end = "\n</｜DSML｜ calls>",
     .argument = "<｜DSML｜ parameter name=\"$KEY\" string=\"$STRING\">$VALUE</｜DSML｜ parameter>\n",
     .values = CallShape::Values::kText},
};

}  // namespace

extern const ReplyFormat reply_format_deepseek_v4_1;
const ReplyFormat reply_format_deepseek_v4_1{
    .name = "deepseek-v4.1",
    .is_of = [](std::string_view s) { return has(s, "｜DSML｜") && !has(s, "tool_calls>") && !has(s, "function_calls>"); },
    .marked = {.calls = kCalls},
    .triggers = kShapes};

}  // namespace skald
