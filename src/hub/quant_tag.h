// The type of a model's weights, by its file's name: that is where the files of a hub say it.
#pragma once

#include <string>
#include <string_view>

namespace skald {

/// "Q4_K_M" of "sub/model-Q4_K_M.gguf", "UD-Q4_K_XL", "BF16", "MXFP4_MOE": in upper case, of the last word that is one, else
/// of the folder's name. Empty where there is none.
std::string quant_tag(std::string_view path);

/// Returns whether weights of this type take at most as much as Q8_0's.
bool up_to_q8_0(std::string_view tag);

/// In any case.
bool is_same_tag(std::string_view tag, std::string_view wanted);
/// Returns whether it is `wanted` with something and a dash before it: "UD-Q4_K_XL" for "Q4_K_XL".
bool ends_in_tag(std::string_view tag, std::string_view wanted);

}  // namespace skald
