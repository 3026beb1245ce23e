#include "engine/status_board.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace skald {

void StatusBoard::post() {
  const std::lock_guard lock(mutex_);
  const int64_t waiting = posted_ + status_.waiting - free_places_;
  if (bounded() && waiting >= max_waiting_)
    fail(Errc::kBusy, "{} requests wait, no more may: schedule.max_waiting", max_waiting_);
  ++posted_;
}

void StatusBoard::unpost() {
  const std::lock_guard lock(mutex_);
  --posted_;
}

void StatusBoard::free_place() {
  const std::lock_guard lock(mutex_);
  free_places_ = std::min(free_places_ + 1, n_parallel_);
}

void StatusBoard::publish(const EngineStatus& now, int64_t taken) {
  const int64_t free = std::ranges::count(now.slots, EngineStatus::Slot::State::kIdle, &EngineStatus::Slot::state);
  const std::lock_guard lock(mutex_);
  status_ = now;
  free_places_ = free;
  posted_ -= taken;
}

EngineStatus StatusBoard::status() const {
  const std::lock_guard lock(mutex_);
  EngineStatus out = status_;
  out.waiting += posted_;
  return out;
}

}  // namespace skald
