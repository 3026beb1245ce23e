#include "engine/speculative_prefill.h"

#include <algorithm>
#include <utility>

#include "engine/ending.h"

namespace skald {

void SpeculativePrefill::finish(FinishReason reason, std::string_view error, std::optional<Errc> code) noexcept {
  finish_unrun(id, request, promise, {}, reason, error, code);
}

void SpeculativePrefills::push(SpeculativePrefill&& one) {
  all_.push_back(std::move(one));
  if (std::ssize(all_) <= kMost) return;
  all_.front().finish(FinishReason::kCancelled);
  all_.pop_front();
}

bool SpeculativePrefills::cancel(RequestId id) {
  const auto at = std::ranges::find(all_, id, &SpeculativePrefill::id);
  if (at == all_.end()) return false;
  at->finish(FinishReason::kCancelled);
  all_.erase(at);
  return true;
}

void SpeculativePrefills::cancel_all() {
  for (SpeculativePrefill& one : all_) one.finish(FinishReason::kCancelled);
  all_.clear();
}

void SpeculativePrefills::cancel_old(Clock::time_point now) {
  while (!all_.empty() && now - all_.front().arrived > kLongest) {
    all_.front().finish(FinishReason::kCancelled);
    all_.pop_front();
  }
}

}  // namespace skald
