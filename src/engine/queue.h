// Queue: requests that wait for a place, and whose turn it is.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "engine/grammar_cursor.h"
#include "engine/job.h"
#include "engine/kept_promise.h"
#include "skald/engine.h"

namespace skald {

/// A request that has not begun.
struct Waiting {
  RequestId id;
  Request request;
  KeptPromise<Result> promise;
  std::unique_ptr<GrammarCursor> grammar = nullptr;  // null: none
  Clock::time_point arrived = {};
  bool held = false;    // by Engine::pause()
  int64_t before = -1;  // of Request::on_wait, told last; -1: nothing was

  /// Ends it `now`.
  void finish(Clock::time_point now, FinishReason reason, std::string_view error = {},
              std::optional<Errc> code = {}) noexcept;
};

/// Whose turn it is: the owner's whose last turn is longest ago, of its requests the lowest priority's, of these the oldest.
class FairOrder {
 public:
  /// The smallest one is next.
  struct Claim {
    int64_t last_turn;
    int priority;
    RequestId id;
    auto operator<=>(const Claim&) const = default;
  };

  /// Notes a request of the owner. A new owner goes before the one that had the last turn, after all others.
  void enter(const std::string& owner);
  /// It is over.
  void leave(const std::string& owner);
  /// One of them, which is not over, got a place.
  void take(const std::string& owner);
  Claim claim(const Request& request, RequestId id) const;

 private:
  struct Owner {
    int64_t last_turn, requests;
  };
  std::unordered_map<std::string, Owner> owners_;  // those with requests
  int64_t now_ = 0;                                // even; odd numbers are of owners that came in between
};

class Queue {
 public:
  /// Where this throws, `waiting` stays as it was.
  void push(Waiting&& waiting) {
    all_.push_back(std::move(waiting));
    moved_ = true;
  }
  /// Gives the request whose turn it is, of those that are `ready`; null where none is.
  Waiting* next(const FairOrder& order, const std::function<bool(const Waiting&)>& ready);
  Waiting* find(RequestId id);
  /// Out of the queue, which takes no memory.
  Waiting take(RequestId id);
  /// Tells each request how many have their turn before it, where others have come or gone since the last call.
  void tell_turns(const FairOrder& order);

  bool empty() const { return all_.empty(); }
  int64_t size() const { return std::ssize(all_); }
  const std::list<Waiting>& all() const { return all_; }
  Waiting& front() { return all_.front(); }

 private:
  std::list<Waiting> all_;  // in the order of arrival
  bool moved_ = false;      // since tell_turns()
};

}  // namespace skald
