// command-r7b: a list of JSON between <|START_ACTION|> and <|END_ACTION|>. Command R7B and Command A.
#include "text/chat/replies/reply_format.h"

namespace skald {
namespace {

constexpr ReasoningMarks kReasoning[] = {{"<|START_THINKING|>", "<|END_THINKING|>", true}};
constexpr CallSyntax kCalls[] = {JsonCalls{.open = "<|START_ACTION|>", .close = "<|END_ACTION|>"}};
constexpr std::string_view kSilent[] = {"<|START_RESPONSE|>", "<|END_RESPONSE|>", "<|START_TEXT|>", "<|END_TEXT|>",
                                        "<|END_OF_TURN_TOKEN|>"};
constexpr CallShape kShapes[] = {
    {.trigger = "<|START_ACTION|>[",
     .call = "\n    {\"tool_call_id\": \"$INDEX\", \"tool_name\": \"$NAME\", \"parameters\": $ARGUMENTS}",
     .between = ",",
     .end = "\n]<|END_ACTION|>"},
};

}  // namespace

extern const ReplyFormat reply_format_command_r7b;
const ReplyFormat reply_format_command_r7b{.name = "command-r7b",
                                           .is_of = [](std::string_view s) { return has(s, "<|START_ACTION|>"); },
                                           .marked = {.calls = kCalls, .reasoning = kReasoning, .silent = kSilent},
                                           .triggers = kShapes,
                                           .content = {.open = "<|START_RESPONSE|>", .close = "<|END_RESPONSE|>"}};

}  // namespace skald
