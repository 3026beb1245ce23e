// lfm2: a list of calls as Python writes them. Liquid LFM2 and LFM2.5.
#include "text/chat/replies/reply_format.h"

namespace skald {
namespace {

constexpr CallSyntax kCalls[] = {PythonCalls{.open = "<|tool_call_start|>", .close = "<|tool_call_end|>"},
                                 JsonCalls{.open = "<|tool_call_start|>", .close = "<|tool_call_end|>"}};
constexpr CallShape kShapes[] = {
    {.trigger = "<|tool_call_start|>[",
     .call = "$NAME($ARGUMENTS)",
     .between = ", ",
     .end = "]<|tool_call_end|>",
     .argument = "$KEY=$VALUE",
     .comma = ", ",
     .values = CallShape::Values::kPython},
};

}  // namespace

extern const ReplyFormat reply_format_lfm2;
const ReplyFormat reply_format_lfm2{.name = "lfm2",
                                    .is_of =
                                        [](std::string_view s) {
                                          return has(s, "<|tool_call_start|>") || has(s, "List of tools: [") ||
                                                 has(s, "<|tool_list_start|>");
                                        },
                                    .marked = {.calls = kCalls},
                                    .triggers = kShapes};

}  // namespace skald
