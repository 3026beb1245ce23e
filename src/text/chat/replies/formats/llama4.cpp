// llama4: a list of calls as Python writes them, or JSON, as the whole reply.
#include "text/chat/replies/reply_format.h"

namespace skald {
namespace {

constexpr CallSyntax kCalls[] = {PythonCalls{.open = "<|python_start|>", .close = "<|python_end|>"},
                                 JsonCalls{.open = "<|python_start|>", .close = "<|python_end|>"}};
constexpr std::string_view kSilent[] = {"<|eom|>", "<|eot|>"};
constexpr CallShape kShapes[] = {
    {.trigger = "<|python_start|>[",
     .call = "$NAME($ARGUMENTS)",
     .between = ", ",
     .end = "]<|python_end|>",
     .argument = "$KEY=$VALUE",
     .comma = ", ",
     .values = CallShape::Values::kPython},
    {.trigger = "[",
     .call = "$NAME($ARGUMENTS)",
     .between = ", ",
     .end = "]",
     .argument = "$KEY=$VALUE",
     .comma = ", ",
     .values = CallShape::Values::kPython,
     .whole = true},
};

}  // namespace

extern const ReplyFormat reply_format_llama4;
const ReplyFormat reply_format_llama4{
    .name = "llama4",
    .is_of = [](std::string_view s) { return has(s, "<|header_start|>"); },
    .marked = {.calls = kCalls, .silent = kSilent, .bare = MarkedReply::Bare::kJsonOrPython, .loose = true},
    .triggers = kShapes};

}  // namespace skald
