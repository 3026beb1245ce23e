// deepseek-v3.1: the name and JSON between the tokens for calls.
#include "text/chat/replies/reply_format.h"

namespace skald {
namespace {

constexpr CallSyntax kCalls[] = {
    NamedCalls{.open = "<｜tool▁call▁begin｜>", .name_end = "<｜tool▁sep｜>", .close = "<｜tool▁call▁end｜>"}};
constexpr CallShape kShapes[] = {
    {.trigger = "<｜tool▁calls▁begin｜>",
     .call = "<｜tool▁call▁begin｜>$NAME<｜tool▁sep｜>$ARGUMENTS<｜tool▁call▁end｜>",
     .between = "",
     .end = "<｜tool▁calls▁end｜>"},
};

}  // namespace

extern const ReplyFormat reply_format_deepseek_v3_1;
const ReplyFormat reply_format_deepseek_v3_1{
    .name = "deepseek-v3.1",
    .is_of = [](std::string_view s) { return has(s, "<｜tool▁calls▁begin｜>") && !has(s, "```json"); },
    .marked = {.calls = kCalls, .section_open = "<｜tool▁calls▁begin｜>", .section_close = "<｜tool▁calls▁end｜>"},
    .triggers = kShapes};

}  // namespace skald
