// KeySums: of one head's keys, the sums over whole pages of each component and of its square, and SparQ's numbers of them. A
// memo: it can be computed anew from the cached keys.
#pragma once

#include <cstddef>
#include <cstdint>

namespace skald {

/// Pages of 64 consecutive positions: [0, kept) and [begin, end), kept <= begin.
struct PageSet {
  int64_t kept = 0, begin = 0, end = 0;
  constexpr int64_t n() const { return kept + end - begin; }
  bool operator==(const PageSet&) const = default;
};

/// Memory of zeros holds the sums of no page.
class KeySums {
 public:
  static constexpr int64_t kAlignment = 64;
  static constexpr int64_t bytes(int64_t d) {
    const int64_t all = int64_t{sizeof(PageSet)} + d * int64_t{2 * sizeof(double) + sizeof(float)};
    return (all + kAlignment - 1) / kAlignment * kAlignment;
  }

  /// Of keys of d components, in bytes(d) at `at`.
  KeySums(std::byte* at, int64_t d) : at_(at), d_(d) {}

  PageSet& pages() const { return *reinterpret_cast<PageSet*>(at_); }
  double* sums() const { return reinterpret_cast<double*>(at_ + sizeof(PageSet)); }  // (d)
  double* squares() const { return sums() + d_; }                                    // (d)
  float* spread() const { return reinterpret_cast<float*>(squares() + d_); }         // (d): standard deviations
  std::byte* memory() const { return at_; }

 private:
  std::byte* at_;
  int64_t d_;
};

}  // namespace skald
