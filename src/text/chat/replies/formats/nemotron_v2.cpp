// nemotron-v2: a list of JSON between <TOOLCALL> and </TOOLCALL>. NVIDIA Nemotron Nano 2.
#include "text/chat/replies/reply_format.h"

namespace skald {
namespace {

constexpr CallSyntax kCalls[] = {JsonCalls{.open = "<TOOLCALL>", .close = "</TOOLCALL>"}};
constexpr CallShape kShapes[] = {
    {.trigger = "<TOOLCALL>[",
     .call = "{\"name\": \"$NAME\", \"arguments\": $ARGUMENTS}",
     .between = ", ",
     .end = "]</TOOLCALL>"},
};

}  // namespace

extern const ReplyFormat reply_format_nemotron_v2;
const ReplyFormat reply_format_nemotron_v2{.name = "nemotron-v2",
                                           .is_of = [](std::string_view s) { return has(s, "<TOOLCALL>"); },
                                           .marked = {.calls = kCalls},
                                           .triggers = kShapes};

}  // namespace skald
