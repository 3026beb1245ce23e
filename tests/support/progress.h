// The progress reports of long work.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "skald/types.h"

namespace skald::test {

/// Hears progress and keeps it.
class Heard {
 public:
  OnProgress callback() {
    return [this](int64_t done, int64_t total) {
      done_.push_back(done);
      total_ = total;
    };
  }
  bool nothing() const { return done_.empty(); }
  int64_t total() const { return total_; }
  /// Whether it only grew, in several steps, up to the end.
  bool went_to_the_end() const { return done_.size() > 1 && std::ranges::is_sorted(done_) && done_.back() == total_; }

 private:
  std::vector<int64_t> done_;
  int64_t total_ = 0;
};

}  // namespace skald::test
