// Pulse: signs of life to the other ranks, as long as it lives.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "backend/ranks/orders.h"

namespace skald {

class Pulse {
 public:
  /// Several in the time for which a rank may be silent. `orders` must outlive it.
  explicit Pulse(Orders& orders);
  ~Pulse();
  Pulse(const Pulse&) = delete;
  Pulse& operator=(const Pulse&) = delete;

 private:
  void run();

  Orders& orders_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace skald
