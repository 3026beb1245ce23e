// StatusBoard: an engine's status for other threads, and whether one more request may wait.
#pragma once

#include <cstdint>
#include <mutex>

#include "skald/engine.h"

namespace skald {

class StatusBoard {
 public:
  /// `max_waiting`: as in ScheduleOptions.
  StatusBoard(int64_t n_parallel, int64_t max_waiting) : n_parallel_(n_parallel), max_waiting_(max_waiting) {}

  bool bounded() const { return max_waiting_ >= 0; }
  /// A request is on its way to the engine. Throws kBusy where too many wait.
  void post();
  /// It did not get there.
  void unpost();
  /// A text is over and its place is free. Its client hears of that later, and its next request finds the place.
  void free_place();
  /// Publishes the engine's status; `taken` of the requests on their way are its own now. Takes no memory after the first
  /// time, as long as there are as many slots.
  void publish(const EngineStatus& now, int64_t taken);

  EngineStatus status() const;

 private:
  int64_t n_parallel_, max_waiting_;
  mutable std::mutex mutex_;
  EngineStatus status_;
  int64_t posted_ = 0;                 // requests that are on their way
  int64_t free_places_ = n_parallel_;  // as of status_
};

}  // namespace skald
