// none: text and reasoning, no calls.
#include "text/chat/replies/reply_format.h"

namespace skald {
extern const ReplyFormat reply_format_none;
const ReplyFormat reply_format_none{.name = "none", .is_of = [](std::string_view) { return false; }};

}  // namespace skald
