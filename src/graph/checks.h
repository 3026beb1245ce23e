// Checks that the shape inference of several operations shares.
#pragma once

#include <span>

#include "base/error.h"
#include "graph/op.h"

namespace skald {

inline void want_inputs(std::span<const ValueDesc> in, size_t n) {
  if (in.size() != n) fail(Errc::kBadInput, "want {} inputs, got {}", n, in.size());
}

inline void want_at_least(std::span<const ValueDesc> in, size_t n) {
  if (in.size() < n) fail(Errc::kBadInput, "want {} inputs or more, got {}", n, in.size());
}

/// A two-dimensional activation (rows, n).
inline void want_matrix(const ValueDesc& d) {
  if (d.shape.rank() != 2) fail(Errc::kBadInput, "want a (rows, n) value, got {}", d.shape.to_string());
}

inline void want_cols(const ValueDesc& d, int64_t cols, std::string_view what) {
  if (d.shape.back() != cols) fail(Errc::kBadInput, "{}: want rows of {}, got {}", what, cols, d.shape.to_string());
}

/// One logit per head.
inline void want_sink_logits(const ValueDesc& d, int64_t heads) {
  if (const Shape want{heads}; d.shape != want)
    fail(Errc::kBadInput, "sink logits are {}; want {}", d.shape.to_string(), want.to_string());
}

/// As many rows as `like`, of the same kind.
inline void want_rows_of(const ValueDesc& like, const ValueDesc& d, std::string_view what) {
  if (d.rows != like.rows || d.shape[0] != like.shape[0])
    fail(Errc::kBadInput, "{}: want as many rows as {}, got {}", what, like.shape.to_string(), d.shape.to_string());
}

}  // namespace skald
