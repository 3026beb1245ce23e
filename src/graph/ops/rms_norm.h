// rms_norm: x / sqrt(mean(x^2) + eps) * weight over each row, or over each of the equal parts of a row (heads); x (rows, n),
// weight (n / parts) for every part or (n). Zhang & Sennrich, arXiv 1910.07467.
#pragma once

#include <string>

#include "graph/op.h"

namespace skald {

struct RmsNorm {
  float eps = 1e-5f;
  int64_t parts = 1;
  std::string describe() const;
  friend bool operator==(const RmsNorm&, const RmsNorm&) = default;
};

extern const OpDef op_rms_norm;

}  // namespace skald
