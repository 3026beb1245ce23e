// deepseek-v3.2: DSML, <｜DSML｜invoke> within <｜DSML｜function_calls>.
#include "text/chat/replies/reply_format.h"

namespace skald {
namespace {

constexpr CallSyntax kCalls[] = {TaggedCalls{.open = "<｜DSML｜invoke name=\"",
                                             .name_end = ">",
                                             .key_open = "<｜DSML｜parameter name=\"",
                                             .key_end = ">",
                                             .value_close = "</｜DSML｜parameter>",
                                             .close = "</｜DSML｜invoke>",
                                             .outer_open = "<｜DSML｜function_calls>",
                                             .outer_close = "</｜DSML｜function_calls>"}};
constexpr CallShape kShapes[] = {
    {.trigger = "<｜DSML｜function_calls>",
     .call = "\n<｜DSML｜invoke name=\"$NAME\">\n$ARGUMENTS</｜DSML｜invoke>",
     .end = "\n</｜DSML｜function_calls>",
     .argument = "<｜DSML｜parameter name=\"$KEY\" string=\"$STRING\">$VALUE</｜DSML｜parameter>\n",
     .values = CallShape::Values::kText},
};

}  // namespace

extern const ReplyFormat reply_format_deepseek_v3_2;
const ReplyFormat reply_format_deepseek_v3_2{
    .name = "deepseek-v3.2",
    .is_of = [](std::string_view s) { return has(s, "｜DSML｜") && has(s, "function_calls>"); },
    .marked = {.calls = kCalls},
    .triggers = kShapes};

}  // namespace skald
