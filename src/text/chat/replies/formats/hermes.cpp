// hermes: JSON between <tool_call> and </tool_call>. Hermes 2 Pro, Qwen 2.5 and 3, QwQ, Granite 4.
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
// Qwen's models mix up its two formats.
constexpr CallSyntax kCalls[] = {JsonCalls{.open = "<tool_call>", .close = "</tool_call>"}, kXml};
constexpr CallShape kShapes[] = {
    {.trigger = "<tool_call>",
     .call = "\n{\"name\": \"$NAME\", \"arguments\": $ARGUMENTS}\n</tool_call>",
     .between = "\n<tool_call>"},
};

}  // namespace

extern const ReplyFormat reply_format_hermes;
const ReplyFormat reply_format_hermes{.name = "hermes",
                                      .is_of =
                                          [](std::string_view s) {
                                            return has(s, "<tool_call>") && !has(s, "<arg_key>") && !has(s, "<function=") &&
                                                   !has(s, "<tool_calls>");
                                          },
                                      .marked = {.calls = kCalls, .loose = true},
                                      .triggers = kShapes};

}  // namespace skald
