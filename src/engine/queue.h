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

#include "engine/guide.h"
#include "engine/job.h"
#include "engine/kept_promise.h"
#include "skald/engine.h"

namespace skald {

/// A request that has not begun.
struct Waiting {
  RequestId id;
  Request request;
  KeptPromise<Result> promise;
  std::unique_ptr<Guide> guide = nullptr;  // null: none
  Clock::time_point arrived = {};
  bool held = false;       // by Engine::pause()
  bool restoring = false;  // pages of its prompt are read from the disk, for it or for others
  int disk_lookups = 0;
  int64_t from_disk = 0;  // tokens whose pages came for it

  bool is_ready() const { return !held && !restoring; }
  /// Ends it `now`.
  void finish(Clock::time_point now, FinishReason reason, std::string_view error = {},
              std::optional<Errc> code = {}) noexcept;
};

/// Whose turn it is: the lowest priority's, of these the scope's whose last turn is longest ago, of its requests the oldest.
class Turns {
 public:
  /// The smallest one is next.
  struct Claim {
    int priority;
    int64_t last_turn;
    RequestId id;
    auto operator<=>(const Claim&) const = default;
  };

  /// A request of the scope came. A new scope goes before the one that had the last turn, behind all others.
  void enter(const std::string& scope);
  /// It is over.
  void leave(const std::string& scope);
  /// One of them, which is not over, got a place.
  void take(const std::string& scope);
  Claim claim(const Request& request, RequestId id) const;

 private:
  struct Scope {
    int64_t last_turn, requests;
  };
  std::unordered_map<std::string, Scope> scopes_;  // those with requests
  int64_t now_ = 0;                                // even; odd numbers are of scopes that came in between
};

class Queue {
 public:
  /// Where this throws, `waiting` stays as it was.
  void push(Waiting&& waiting) { all_.push_back(std::move(waiting)); }
  /// Whose turn it is; null where nobody is ready.
  Waiting* next(const Turns& turns);
  Waiting* find(RequestId id);
  /// Out of the queue, which takes no memory.
  Waiting take(RequestId id);

  bool empty() const { return all_.empty(); }
  int64_t size() const { return std::ssize(all_); }
  /// Whether somebody is neither held nor waits for pages.
  bool has_ready() const;
  /// Those of which `over` says so wait for pages no longer.
  void end_restoring(const std::function<bool(const Waiting&)>& over);
  Waiting& front() { return all_.front(); }

 private:
  std::list<Waiting> all_;  // in the order of arrival
};

}  // namespace skald
