// Logits: what a step gives, a row for each output, read from the device's memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backend/step_values.h"
#include "skald/types.h"
#include "tensor/device_memory.h"
#include "tensor/tensor.h"

namespace skald {

/// Valid until the next step. Rows in memory that the host sees are not copied. Of others, those that the device tells the
/// best tokens of are read when they are first asked for, and all are read at once where it tells nothing.
class Logits {
 public:
  Logits() = default;
  /// `device`: (outputs, n_vocab) floats in `memory`. `best`: of each row, or nothing.
  Logits(const TensorView& device, DeviceMemory& memory, std::span<const BestTokens> best = {});
  explicit Logits(const StepOutput& output) : Logits(output.rows, *output.memory, output.best) {}

  int64_t rows() const { return rows_; }
  int64_t cols() const { return cols_; }
  /// Threads may ask for rows at the same time.
  std::span<const float> row(int64_t i) const;
  /// Returns n rows one after the other. Those of a device are all read.
  std::span<const float> rows(int64_t first, int64_t n) const;
  std::span<const float> all() const { return rows(0, rows_); }
  /// Returns nullptr where the device tells nothing.
  const BestTokens* best(int64_t i) const { return best_.empty() ? nullptr : &best_[static_cast<size_t>(i)]; }
  /// The likeliest token of a row; the first of equal ones.
  TokenId argmax(int64_t i) const;

 private:
  struct Copies;  // of rows in memory that the host does not see

  int64_t rows_ = 0, cols_ = 0, step_ = 0;
  const float* data_ = nullptr;
  std::span<const BestTokens> best_;
  std::shared_ptr<Copies> copies_;
};

}  // namespace skald
