#include "backend/ranks/pulse.h"

#include <algorithm>
#include <chrono>

#include "base/error.h"

namespace skald {

Pulse::Pulse(Orders& orders) : orders_(orders), thread_([this] { run(); }) {}

Pulse::~Pulse() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  ended_.notify_all();
  thread_.join();
}

void Pulse::run() {
  const auto period = std::chrono::duration<double>(std::min(1.0, orders_.group().patience() / 4));
  std::unique_lock lock(mutex_);
  while (!ended_.wait_for(lock, period, [this] { return ends_; })) {
    try {
      orders_.ping();
    } catch (const Error&) {  // the group tells why it is broken
      return;
    }
  }
}

}  // namespace skald
