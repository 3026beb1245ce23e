// firefunction: functools and a list of JSON. Firefunction 2.
#include "text/chat/replies/reply_format.h"

namespace skald {
namespace {

constexpr CallSyntax kCalls[] = {JsonCalls{.open = "functools"}};
constexpr CallShape kShapes[] = {
    {.trigger = "functools[", .call = "{\"name\": \"$NAME\", \"arguments\": $ARGUMENTS}", .between = ", ", .end = "]"},
};

}  // namespace

extern const ReplyFormat reply_format_firefunction;
const ReplyFormat reply_format_firefunction{.name = "firefunction",
                                            .is_of = [](std::string_view s) { return has(s, "functools["); },
                                            .marked = {.calls = kCalls},
                                            .triggers = kShapes};

}  // namespace skald
