// A row of a load on its way: the times of its clients' requests.
#pragma once

#include <cstdint>
#include <utility>

#include "serve/load/arrivals.h"
#include "serve/load/load_session.h"

namespace skald::serve {

class LoadRowRun {
 public:
  /// `first`: the number of its first request. `o` must outlive it.
  LoadRowRun(const LoadOptions& o, LoadRow row, int64_t first);

  /// Returns false when it was stopped.
  bool run();

  LoadRow take() { return std::move(row_); }
  /// Returns the number of the first request after its own.
  int64_t next() const { return next_; }

 private:
  void begin();
  bool may_send() const;
  void arrive(double at);
  void send();
  void end_if_over();
  void tell() const;

  const LoadOptions& o_;
  LoadRow row_;
  int64_t next_, total_ = 0, sent_ = 0, running_ = 0;
  bool all_sent_ = false;
  HttpClock::time_point begun_;
  LoadSession session_;
  Arrivals arrivals_;
};

}  // namespace skald::serve
