#include "engine/read_ahead.h"

#include <algorithm>
#include <utility>

#include "engine/ending.h"

namespace skald {

void ReadAhead::finish(FinishReason reason, std::string_view error, std::optional<Errc> code) noexcept {
  finish_unrun(id, request, promise, {}, reason, error, code);
}

void ReadAheads::push(ReadAhead&& one) {
  all_.push_back(std::move(one));
  if (std::ssize(all_) <= kMost) return;
  all_.front().finish(FinishReason::kCancelled);
  all_.pop_front();
}

bool ReadAheads::cancel(RequestId id) {
  const auto at = std::ranges::find(all_, id, &ReadAhead::id);
  if (at == all_.end()) return false;
  at->finish(FinishReason::kCancelled);
  all_.erase(at);
  return true;
}

void ReadAheads::cancel_all() {
  for (ReadAhead& one : all_) one.finish(FinishReason::kCancelled);
  all_.clear();
}

void ReadAheads::cancel_old(Clock::time_point now) {
  while (!all_.empty() && now - all_.front().arrived > kLongest) {
    all_.front().finish(FinishReason::kCancelled);
    all_.pop_front();
  }
}

}  // namespace skald
