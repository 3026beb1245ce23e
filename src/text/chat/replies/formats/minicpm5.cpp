// minicpm5: <function name="f"> and <param name="a">. OpenBMB MiniCPM 5.
#include "text/chat/replies/reply_format.h"

namespace skald {
namespace {

constexpr CallSyntax kCalls[] = {TaggedCalls{.open = "<function name=\"",
                                             .name_end = ">",
                                             .key_open = "<param name=\"",
                                             .key_end = ">",
                                             .value_close = "</param>",
                                             .close = "</function>"}};
constexpr CallShape kShapes[] = {
    {.trigger = "<function name=\"",
     .call = "$NAME\">$ARGUMENTS</function>",
     .between = "\n<function name=\"",
     .argument = "<param name=\"$KEY\">$VALUE</param>",
     .values = CallShape::Values::kText},
};

}  // namespace

extern const ReplyFormat reply_format_minicpm5;
const ReplyFormat reply_format_minicpm5{.name = "minicpm5",
                                        .is_of = [](std::string_view s) { return has(s, "<function name="); },
                                        .marked = {.calls = kCalls},
                                        .triggers = kShapes};

}  // namespace skald
