// The entry of an importance matrix for one tensor, as encoders want it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "io/gguf.h"
#include "tools/measure/imatrix_file.h"

namespace skald {

/// Drops the entries of weights whose names have none of `include` in them, unless it is empty, or one of `exclude`. Throws
/// kBadInput for a text in `include` that is in no name.
void choose_weights(Imatrix& matrix, const std::vector<std::string>& include, const std::vector<std::string>& exclude);

class Importance {
 public:
  /// Returns nullopt where the matrix has nothing for the tensor. Throws kBadFile where it has another size.
  static std::optional<Importance> of(const Imatrix& matrix, const GgufTensor& tensor);

  /// Of the columns of a row, counted over all matrices of the tensor: (columns), with a mean of about 1.
  const float* row(int64_t row) const { return values_.data() + row / rows_ * columns_; }

 private:
  std::vector<float> values_;  // (matrices, columns)
  int64_t rows_ = 1, columns_ = 0;
};

}  // namespace skald
