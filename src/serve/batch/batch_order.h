// BatchOrder: requests that wait, given out so that those whose prompts begin alike come one after the other.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "serve/batch/batch_line.h"

namespace skald::serve {

/// Goes through waiting requests by rising prefixes, and then again from the first one.
class BatchOrder {
 public:
  void add(BatchRequest request) {
    bytes_ += request.bytes();
    std::string prefix = request.prefix;
    waiting_.emplace(std::move(prefix), std::move(request));
  }

  /// Takes the next one; there is one.
  BatchRequest take() {
    auto next = waiting_.lower_bound(last_);
    if (next == waiting_.end()) next = waiting_.begin();
    last_ = next->first;
    BatchRequest out = std::move(next->second);
    waiting_.erase(next);
    bytes_ -= out.bytes();
    return out;
  }

  bool empty() const { return waiting_.empty(); }
  int64_t size() const { return static_cast<int64_t>(waiting_.size()); }
  int64_t bytes() const { return bytes_; }

 private:
  std::multimap<std::string, BatchRequest> waiting_;  // by prefix
  std::string last_;
  int64_t bytes_ = 0;
};

}  // namespace skald::serve
