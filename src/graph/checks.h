// Checks that the shape inference of several operations shares.
#pragma once

#include <span>
#include <string>
#include <string_view>

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

/// Rows that divide into heads.
inline void want_heads(const ValueDesc& d, int64_t heads) {
  if (heads < 1 || d.shape.back() % heads)
    fail(Errc::kBadInput, "rows of {} do not divide into {} heads", d.shape.back(), heads);
}

/// A weight that holds a matrix for each of `what`.
inline void want_matrices(const ValueDesc& d, std::string_view what) {
  if (d.shape.rank() != 3) fail(Errc::kBadInput, "weight: want ({}, n, k), got {}", what, d.shape.to_string());
}

/// A row for each matrix of a weight (matrices, n, k).
inline void want_biases(const ValueDesc& d, const ValueDesc& weight) {
  if (const Shape want{weight.shape[0], weight.shape[1]}; d.shape != want || d.format != &format_f32)
    fail(Errc::kBadInput, "bias: want f32 {}, got {} {}", want.to_string(), d.format->name, d.shape.to_string());
}

/// A number for each matrix of a weight (matrices, n, k).
inline void want_expert_scales(const ValueDesc& d, const ValueDesc& weight) {
  if (const Shape want{weight.shape[0]}; d.shape != want || d.format != &format_f32)
    fail(Errc::kBadInput, "scale: want f32 {}, got {} {}", want.to_string(), d.format->name, d.shape.to_string());
}

/// A number for each head.
inline void want_head_numbers(const ValueDesc& d, int64_t heads) {
  if (d.shape != Shape{heads}) fail(Errc::kBadInput, "want {} numbers, got {}", heads, d.shape.to_string());
}

/// One logit per head.
inline void want_sink_logits(const ValueDesc& d, int64_t heads) {
  if (const Shape want{heads}; d.shape != want)
    fail(Errc::kBadInput, "sink logits are {}; want {}", d.shape.to_string(), want.to_string());
}

/// A square matrix for each head.
inline void want_index_basis(const ValueDesc& d, int64_t heads, int64_t n) {
  if (const Shape want{heads, n, n}; d.shape != want || d.format != &format_f32)
    fail(Errc::kBadInput, "basis of the index: want f32 {}, got {} {}", want.to_string(), d.format->name,
         d.shape.to_string());
}

/// A row for each head: a number for each distance up to some reach, before and after.
inline void want_distance_biases(const ValueDesc& d, int64_t heads) {
  if (d.shape.rank() != 2 || d.shape[0] != heads || d.shape[1] % 2 == 0)
    fail(Errc::kBadInput, "biases by distance are {}; want an odd number for each of {} heads", d.shape.to_string(), heads);
}

/// As many rows as `like`, of the same kind.
inline void want_rows_of(const ValueDesc& like, const ValueDesc& d, std::string_view what) {
  if (d.rows != like.rows || d.shape[0] != like.shape[0])
    fail(Errc::kBadInput, "{}: want as many rows as {}, got {}", what, like.shape.to_string(), d.shape.to_string());
}

/// Rows that divide into equal parts.
inline void want_parts(const ValueDesc& d, int64_t parts) {
  if (parts <= 0 || d.shape.back() % parts)
    fail(Errc::kBadInput, "rows of {} do not divide into {} parts", d.shape.back(), parts);
}

/// A vector for every part of x's rows, or one for whole rows.
inline void want_part_weight(const ValueDesc& x, int64_t parts, const ValueDesc& weight, std::string_view what) {
  const Shape part{x.shape.back() / parts}, row{x.shape.back()};
  if (weight.shape != part && weight.shape != row)
    fail(Errc::kBadInput, "{}: want {}{}, got {}", what, part.to_string(), parts == 1 ? "" : " or " + row.to_string(),
         weight.shape.to_string());
}

}  // namespace skald
