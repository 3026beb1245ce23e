// json: the whole reply is a call as JSON, or a list of them.
#include "text/chat/replies/reply_format.h"

namespace skald {
namespace {

constexpr CallShape kShapes[] = {
    {.trigger = "{\"name\": \"", .call = "$NAME\", \"arguments\": $ARGUMENTS}", .alone = true, .whole = true},
    {.trigger = "[{\"name\": \"",
     .call = "$NAME\", \"arguments\": $ARGUMENTS}",
     .between = ", {\"name\": \"",
     .end = "]",
     .whole = true},
};

}  // namespace

extern const ReplyFormat reply_format_json;
const ReplyFormat reply_format_json{.name = "json",
                                    .is_of = [](std::string_view) { return false; },
                                    .marked = {.bare = MarkedReply::Bare::kJson, .loose = true},
                                    .triggers = kShapes};

}  // namespace skald
