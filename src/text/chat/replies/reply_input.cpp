#include "text/chat/replies/reply_input.h"

namespace skald {

void ReplyInput::forget() {
  if (next_ < 4096 || next_ < bytes_.size() / 2) return;  // so that each byte is moved once at most
  bytes_.erase(0, next_);
  begin_ += next_;
  next_ = 0;
}

}  // namespace skald
