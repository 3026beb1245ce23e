// qwen3-xml: <function=f> and <parameter=a> within <tool_call>. Qwen3-Coder, Qwen 3.5, Nemotron 3.
#include "text/chat/replies/reply_format.h"

namespace skald {
namespace {

constexpr TaggedCalls kXml{.open = "<function=",
                           .name_end = ">",
                           .key_open = "<parameter=",
                           .key_end = ">",
                           .value_close = "</parameter>",
                           .close = "</function>",
                           .outer_open = "<tool_call>",
                           .outer_close = "</tool_call>",
                           .line_values = true};
constexpr CallSyntax kCalls[] = {kXml, JsonCalls{.open = "<tool_call>", .close = "</tool_call>"}};
constexpr CallShape kShapes[] = {
    {.trigger = "<tool_call>",
     .call = "\n<function=$NAME>\n$ARGUMENTS</function>\n</tool_call>",
     .between = "\n<tool_call>",
     .argument = "<parameter=$KEY>\n$VALUE\n</parameter>\n",
     .values = CallShape::Values::kText},
};

}  // namespace

extern const ReplyFormat reply_format_qwen3_xml;
const ReplyFormat reply_format_qwen3_xml{
    .name = "qwen3-xml",
    .is_of = [](std::string_view s) { return has(s, "<tool_call>") && has(s, "<function=") && has(s, "<parameter="); },
    .marked = {.calls = kCalls, .loose = true},
    .triggers = kShapes};

}  // namespace skald
