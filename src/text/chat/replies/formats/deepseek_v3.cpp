// deepseek-v3: the name, and JSON in a block of code on the next lines. DeepSeek V3 and R1.
#include "text/chat/replies/reply_format.h"

namespace skald {
namespace {

void read_name(std::string_view text, ReplyCall& call) {
  constexpr std::string_view kSeparator = "<｜tool▁sep｜>";  // after the call's type, "function"
  const size_t at = text.find(kSeparator);
  call.name = at == std::string_view::npos ? text : text.substr(at + kSeparator.size());
}

constexpr CallSyntax kCalls[] = {
    NamedCalls{.open = "<｜tool▁call▁begin｜>", .name_end = "\n", .close = "<｜tool▁call▁end｜>", .read_name = read_name}};
constexpr CallShape kShapes[] = {
    {.trigger = "<｜tool▁calls▁begin｜>",
     .call = "<｜tool▁call▁begin｜>function<｜tool▁sep｜>$NAME\n```json\n$ARGUMENTS\n```<｜tool▁call▁end｜>",
     .between = "\n",
     .end = "<｜tool▁calls▁end｜>"},
};

}  // namespace

extern const ReplyFormat reply_format_deepseek_v3;
const ReplyFormat reply_format_deepseek_v3{
    .name = "deepseek-v3",
    .is_of = [](std::string_view s) { return has(s, "<｜tool▁calls▁begin｜>") && has(s, "```json"); },
    .marked = {.calls = kCalls,
               .section_open = "<｜tool▁calls▁begin｜>",
               .section_close = "<｜tool▁calls▁end｜>",
               .loose = true},
    .triggers = kShapes};

}  // namespace skald
