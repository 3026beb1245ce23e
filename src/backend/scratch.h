// Scratch: memory that an operation is given for one call, taken piece by piece.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/checked.h"

namespace skald {

/// Hands out pieces of a task's scratch memory; with a null base it only counts.
class Scratch {
 public:
  explicit Scratch(std::byte* base) : base_(base) {}
  template <class T = float>
  T* take(int64_t n) {
    std::byte* piece = base_ ? base_ + used_ : nullptr;
    used_ += round_up(n * static_cast<int64_t>(sizeof(T)), 64);
    return reinterpret_cast<T*>(piece);
  }
  int64_t used() const { return used_; }

 private:
  std::byte* base_;
  int64_t used_ = 0;
};

}  // namespace skald
