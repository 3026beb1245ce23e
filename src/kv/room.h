// KvRoom: counts of what a cache gives out, by group its pages, long runs, short runs and open pages, then recurrent
// states.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace skald {

struct KvRoom {
  std::vector<int64_t> counts = {};  // those that are not there are 0

  /// Whether each count of `need` is there.
  bool covers(const KvRoom& need) const {
    for (size_t i = 0; i < need.counts.size(); ++i)
      if (need.counts[i] > (i < counts.size() ? counts[i] : 0)) return false;
    return true;
  }
  KvRoom& operator+=(const KvRoom& more) { return add(more, 1); }
  KvRoom& operator-=(const KvRoom& less) { return add(less, -1); }

 private:
  KvRoom& add(const KvRoom& other, int64_t sign) {
    if (counts.size() < other.counts.size()) counts.resize(other.counts.size());
    for (size_t i = 0; i < other.counts.size(); ++i) counts[i] += sign * other.counts[i];
    return *this;
  }
};

}  // namespace skald
