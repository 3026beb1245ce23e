// Guarded: an output buffer with canaries before and after it, itself filled with canaries until it is written.
#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <span>
#include <vector>

namespace skald::test {

template <class T>
class Guarded {
 public:
  explicit Guarded(int64_t n) : n_(static_cast<size_t>(n)), bytes_(n_ * sizeof(T) + 2 * kGuard + kAlign, kCanary) {
    const size_t past = reinterpret_cast<uintptr_t>(bytes_.data() + kGuard) % kAlign;
    start_ = kGuard + (past ? kAlign - past : 0);
  }

  T* data() { return reinterpret_cast<T*>(bytes_.data() + start_); }
  const T* data() const { return reinterpret_cast<const T*>(bytes_.data() + start_); }
  T& operator[](int64_t i) { return data()[i]; }
  std::span<const T> values() const { return {data(), n_}; }

  /// Tells whether element i still holds its first value.
  bool untouched(int64_t i) const {
    T canary;
    std::memset(&canary, kCanary, sizeof(T));
    return std::memcmp(data() + i, &canary, sizeof(T)) == 0;
  }
  /// Nothing was written outside of the n elements.
  testing::AssertionResult intact() const {
    for (size_t i = 0; i < bytes_.size(); ++i) {
      const bool inside = i >= start_ && i < start_ + n_ * sizeof(T);
      if (!inside && bytes_[i] != kCanary)
        return testing::AssertionFailure()
               << "written outside, at byte " << static_cast<int64_t>(i) - static_cast<int64_t>(start_) << " of "
               << n_ * sizeof(T);
    }
    return testing::AssertionSuccess();
  }

 private:
  static constexpr unsigned char kCanary = 0xa5;
  static constexpr size_t kGuard = 256, kAlign = 64;

  size_t n_;
  std::vector<unsigned char> bytes_;
  size_t start_ = 0;
};

}  // namespace skald::test
