// The rows that a step gave, from whatever memory they lie in.
#pragma once

#include <vector>

#include "backend/step_values.h"

namespace skald::test {

/// (rows, columns) floats.
inline std::vector<float> rows_of(const StepOutput& out) {
  const TensorView& rows = out.rows;
  std::vector<float> values(static_cast<size_t>(rows.rows() * rows.cols()));
  for (int64_t r = 0; r < rows.rows(); ++r)
    out.memory->read(reinterpret_cast<std::byte*>(values.data() + r * rows.cols()), rows.row_bytes(r),
                     rows.cols() * static_cast<int64_t>(sizeof(float)));
  return values;
}

}  // namespace skald::test
