#include "skald/reply.h"

namespace skald {

void Reply::add(std::span<const ReplyDelta> deltas) {
  for (const ReplyDelta& delta : deltas) {
    if (delta.kind == ReplyDelta::Kind::kCall) {
      calls.push_back(delta.call);
    } else {
      (delta.kind == ReplyDelta::Kind::kContent ? content : reasoning) += delta.text;
    }
  }
}

}  // namespace skald
