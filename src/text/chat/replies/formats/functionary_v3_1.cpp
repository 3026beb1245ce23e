// functionary-v3.1: <function=f> and JSON.
#include "text/chat/replies/reply_format.h"

namespace skald {
namespace {

constexpr CallSyntax kCalls[] = {NamedCalls{.open = "<function=", .name_end = ">", .close = "</function>"},
                                 JsonCalls{.open = "<|python_tag|>"}};
constexpr CallShape kShapes[] = {
    {.trigger = "<function=", .call = "$NAME>$ARGUMENTS</function>", .between = "<function="},
};

}  // namespace

extern const ReplyFormat reply_format_functionary_v3_1;
const ReplyFormat reply_format_functionary_v3_1{.name = "functionary-v3.1",
                                                .is_of =
                                                    [](std::string_view s) {
                                                      return has(s, "<function") && has(s, "<|python_tag|>") &&
                                                             !has(s, "<parameter=") && !has(s, "<function name=");
                                                    },
                                                .marked = {.calls = kCalls},
                                                .triggers = kShapes};

}  // namespace skald
