// Names of a step's inputs, of which stepping/step_inputs knows what they hold.
#pragma once

namespace skald::input_names {

inline constexpr const char* kTokens = "tokens";
inline constexpr const char* kPositions = "positions";
inline constexpr const char* kKeptPositions = "kept_positions";
inline constexpr const char* kPrefixPositions = "prefix_positions";
inline constexpr const char* kSuffixPositions = "suffix_positions";
inline constexpr const char* kAxisPositions = "axis_positions";
inline constexpr const char* kTokenTypes = "token_types";
inline constexpr const char* kParents = "parents";
inline constexpr const char* kHidden = "hidden";
inline constexpr const char* kOutputRows = "output_rows";

}  // namespace skald::input_names
