// kimi-k3: elements between <|open|> and <|close|>, arguments with their types.
#include "text/chat/replies/reply_format.h"

namespace skald {
namespace {

constexpr ReasoningMarks kReasoning[] = {{"<|open|>think<|sep|>", "<|close|>think<|sep|>", true}};
constexpr CallSyntax kCalls[] = {TaggedCalls{.open = "<|open|>call tool=\"",
                                             .name_end = "<|sep|>",
                                             .key_open = "<|open|>argument key=\"",
                                             .key_end = "<|sep|>",
                                             .value_close = "<|close|>argument<|sep|>",
                                             .close = "<|close|>call<|sep|>",
                                             .outer_open = "<|open|>tools<|sep|>",
                                             .outer_close = "<|close|>tools<|sep|>"}};
constexpr std::string_view kSilent[] = {"<|open|>response<|sep|>", "<|close|>response<|sep|>", "<|close|>message<|sep|>",
                                        "<|end_of_msg|>"};
constexpr CallShape kShapes[] = {
    {.trigger = "<|open|>tools<|sep|>",
     .call = "<|open|>call tool=\"$NAME\" index=\"$INDEX\"<|sep|>$ARGUMENTS<|close|>call<|sep|>",
     .end = "<|close|>tools<|sep|>",
     .argument = "<|open|>argument key=\"$KEY\" type=\"$TYPE\"<|sep|>$VALUE<|close|>argument<|sep|>",
     .values = CallShape::Values::kText},
};

}  // namespace

extern const ReplyFormat reply_format_kimi_k3;
const ReplyFormat reply_format_kimi_k3{.name = "kimi-k3",
                                       .is_of = [](std::string_view s) { return has(s, "<|open|>") && has(s, "<|sep|>"); },
                                       .marked = {.calls = kCalls, .reasoning = kReasoning, .silent = kSilent},
                                       .triggers = kShapes,
                                       .content = {.open = "<|open|>response<|sep|>", .close = "<|close|>response<|sep|>"}};

}  // namespace skald
