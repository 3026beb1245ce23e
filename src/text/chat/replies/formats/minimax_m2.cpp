// minimax-m2: <invoke name="f"> within <minimax:tool_call>.
#include "text/chat/replies/reply_format.h"

namespace skald {
namespace {

constexpr CallSyntax kCalls[] = {TaggedCalls{.open = "<invoke name=\"",
                                             .name_end = ">",
                                             .key_open = "<parameter name=\"",
                                             .key_end = ">",
                                             .value_close = "</parameter>",
                                             .close = "</invoke>",
                                             .outer_open = "<minimax:tool_call>",
                                             .outer_close = "</minimax:tool_call>"}};
constexpr CallShape kShapes[] = {
    {.trigger = "<minimax:tool_call>",
     .call = "\n<invoke name=\"$NAME\">\n$ARGUMENTS</invoke>",
     .end = "\n</minimax:tool_call>",
     .argument = "<parameter name=\"$KEY\">$VALUE</parameter>\n",
     .values = CallShape::Values::kText},
};

}  // namespace

extern const ReplyFormat reply_format_minimax_m2;
const ReplyFormat reply_format_minimax_m2{.name = "minimax-m2",
                                          .is_of = [](std::string_view s) { return has(s, "<minimax:tool_call>"); },
                                          .marked = {.calls = kCalls},
                                          .triggers = kShapes};

}  // namespace skald
