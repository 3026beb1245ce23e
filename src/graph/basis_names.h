// Names of the tensors of a calibration, after the layer's: the bases in which the index of sparse decoding holds keys, and
// in which queries meet them.
#pragma once

#include <string_view>

namespace skald::basis_names {

inline constexpr std::string_view kKeys = "attn_index.keys";
inline constexpr std::string_view kQueries = "attn_index.queries";

/// Returns whether a tensor is one of them.
inline bool is_basis(std::string_view tensor) { return tensor.ends_with(kKeys) || tensor.ends_with(kQueries); }

}  // namespace skald::basis_names
