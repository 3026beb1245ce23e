// seed-oss: <function=f> and <parameter=a> within <seed:tool_call>. ByteDance Seed-OSS.
#include "text/chat/replies/reply_format.h"

namespace skald {
namespace {

constexpr ReasoningMarks kReasoning[] = {{"<seed:think>", "</seed:think>"}, {"<think>", "</think>"}};
constexpr CallSyntax kCalls[] = {TaggedCalls{.open = "<function=",
                                             .name_end = ">",
                                             .key_open = "<parameter=",
                                             .key_end = ">",
                                             .value_close = "</parameter>",
                                             .close = "</function>",
                                             .outer_open = "<seed:tool_call>",
                                             .outer_close = "</seed:tool_call>"}};
constexpr CallShape kShapes[] = {
    {.trigger = "<seed:tool_call>",
     .call = "\n<function=$NAME>\n$ARGUMENTS</function>\n</seed:tool_call>",
     .between = "\n<seed:tool_call>",
     .argument = "<parameter=$KEY>$VALUE</parameter>\n",
     .values = CallShape::Values::kText},
};

}  // namespace

extern const ReplyFormat reply_format_seed_oss;
const ReplyFormat reply_format_seed_oss{.name = "seed-oss",
                                        .is_of = [](std::string_view s) { return has(s, "<seed:tool_call>"); },
                                        .marked = {.calls = kCalls, .reasoning = kReasoning},
                                        .triggers = kShapes};

}  // namespace skald
