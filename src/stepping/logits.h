// Logits: what a step gives, a row for each output, read from the device's memory.
#pragma once

#include <cstdint>
#include <vector>

#include "backend/step_values.h"
#include "skald/types.h"
#include "tensor/device_memory.h"
#include "tensor/tensor.h"

namespace skald {

/// Rows in memory that the host sees are not copied: they are valid until the next step.
class Logits {
 public:
  Logits() = default;
  /// `device`: (outputs, n_vocab) floats in `memory`.
  Logits(const TensorView& device, DeviceMemory& memory);
  explicit Logits(const StepOutput& output) : Logits(output.rows, *output.memory) {}

  int64_t rows() const { return rows_; }
  int64_t cols() const { return cols_; }
  const float* row(int64_t i) const { return (copy_.empty() ? data_ : copy_.data()) + i * step_; }
  /// The likeliest token of a row; the first of equal ones.
  TokenId argmax(int64_t i) const;

 private:
  int64_t rows_ = 0, cols_ = 0, step_ = 0;
  const float* data_ = nullptr;
  std::vector<float> copy_;  // of memory that the host does not see
};

}  // namespace skald
