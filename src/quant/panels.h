// Panels: weights repacked for matmuls. A panel holds 16 rows side by side, in groups of some columns. A vector of weights
// meets one activation and every lane is a row of its own: no horizontal sums. The same on all instruction sets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "tensor/format.h"

namespace skald {

class Shape;

inline constexpr int64_t kPanelRows = 16;
inline constexpr uint32_t kPanelTypes = 0x534b0000;  // a file's tensor type for panels: this plus the type of the rows

/// Where the rows to be packed lie. Rows from n_rows on count as zeros.
struct PackArgs {
  const std::byte* rows;
  int64_t row_bytes;  // from one to the next
  int64_t n_rows;     // 1 to kPanelRows
  int64_t k;          // columns, a multiple of the format's block
};

struct PanelLayout {
  std::string_view name;  // "q8_0x16"
  uint32_t format;        // of the rows: a GGUF tensor type
  uint32_t id;            // of the panels in files: outside of GGUF's numbers
  int64_t columns;        // of a group; the last group of a panel is filled up with zeros
  int64_t group_bytes;
  void (*pack)(const PackArgs& args, std::byte* panel);

  constexpr int64_t groups(int64_t k) const { return (k + columns - 1) / columns; }
  /// Of one panel: whole cache lines.
  constexpr int64_t panel_bytes(int64_t k) const { return (groups(k) * group_bytes + 63) / 64 * 64; }
  constexpr int64_t panels(int64_t rows) const { return (rows + kPanelRows - 1) / kPanelRows; }
  constexpr int64_t bytes(int64_t rows, int64_t k) const { return panels(rows) * panel_bytes(k); }
  /// Of a matrix (n, k), or of several (.., n, k): each has panels of its own. A row (k) is a matrix of one.
  int64_t bytes(const Shape& shape) const;
};

/// Matrices in a tensor: a vector or a matrix is one.
int64_t matrices_of(const Shape& shape);

/// One per folder of src/quant that has panels.cpp.
std::span<const PanelLayout* const> panel_layouts();

/// Finds the layout of a format's panels; nullptr where it has none.
const PanelLayout* find_panels(const Format& format);

}  // namespace skald
