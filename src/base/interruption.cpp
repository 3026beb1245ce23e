#include "base/interruption.h"

#include <utility>

namespace skald {
namespace {

constexpr size_t kWork = 4096;  // between two looks at the clock
constexpr std::chrono::milliseconds kEvery{2};

thread_local Interruption* innermost = nullptr;

}  // namespace

Interruption::Interruption(Watcher& watcher)
    : watcher_(watcher), next_(std::chrono::steady_clock::now() + kEvery), outer_(std::exchange(innermost, this)) {}

Interruption::~Interruption() { innermost = outer_; }

void Interruption::point(size_t work) {
  Interruption* const here = innermost;
  if (!here || (here->work_ += work) < kWork) return;
  here->work_ = 0;
  if (std::chrono::steady_clock::now() < here->next_) return;
  here->watcher_.at_point();
  here->next_ = std::chrono::steady_clock::now() + kEvery;
}

void Interruption::memory(int64_t bytes) {
  if (innermost) innermost->watcher_.before_memory(bytes);
}

}  // namespace skald
