// apriel: a list of JSON between <tool_calls> and </tool_calls>. ServiceNow Apriel.
#include "text/chat/replies/reply_format.h"

namespace skald {
namespace {

constexpr ReasoningMarks kReasoning[] = {{"<thinking>", "</thinking>"}, {"<think>", "</think>"}};
constexpr CallSyntax kCalls[] = {JsonCalls{.open = "<tool_calls>", .close = "</tool_calls>"}};
constexpr std::string_view kSilent[] = {"[BEGIN FINAL RESPONSE]", "[END FINAL RESPONSE]"};
constexpr CallShape kShapes[] = {
    {.trigger = "<tool_calls>[",
     .call = "{\"name\": \"$NAME\", \"arguments\": $ARGUMENTS}",
     .between = ", ",
     .end = "]</tool_calls>"},
};

}  // namespace

extern const ReplyFormat reply_format_apriel;
const ReplyFormat reply_format_apriel{.name = "apriel",
                                      .is_of = [](std::string_view s) { return has(s, "<tool_calls>["); },
                                      .marked = {.calls = kCalls, .reasoning = kReasoning, .silent = kSilent},
                                      .triggers = kShapes,
                                      .content = {.open = "[BEGIN FINAL RESPONSE]", .close = "[END FINAL RESPONSE]"}};

}  // namespace skald
