// SpeculativePrefills: prompts that are computed before a request asks for them, in steps that no request needs.
#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <optional>
#include <vector>

#include "engine/job.h"
#include "engine/kept_promise.h"
#include "engine/passing_checkpoint.h"
#include "skald/engine.h"

namespace skald {

struct SpeculativePrefill {
  RequestId id;
  Request request;
  KeptPromise<Result> promise;
  Clock::time_point arrived;
  std::vector<int64_t> points = {};  // within the prompt at which checkpoints stay
  PassingCheckpoint last = {};

  void finish(FinishReason reason, std::string_view error = {}, std::optional<Errc> code = {}) noexcept;
};

/// The oldest first. At most kMost wait, none longer than kLongest.
class SpeculativePrefills {
 public:
  static constexpr int64_t kMost = 64;
  static constexpr std::chrono::seconds kLongest{60};

  /// The oldest one makes way where there are too many. Where this throws, `one` stays as it was.
  void push(SpeculativePrefill&& one);
  /// Ends one, if it is here.
  bool cancel(RequestId id);
  void cancel_all();
  void cancel_old(Clock::time_point now);
  /// The one whose turn it is is over.
  void pop() { all_.pop_front(); }

  bool empty() const { return all_.empty(); }
  SpeculativePrefill& front() { return all_.front(); }

 private:
  std::list<SpeculativePrefill> all_;
};

}  // namespace skald
