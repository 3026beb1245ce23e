// Which type a converted tensor gets.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "convert/stored_view.h"

namespace skald {

/// Returns a format by name that weights can be converted to; throws kBadInput naming those that there are.
const Format& target_format(std::string_view type);

/// Returns the format of one tensor, where matrices are wanted as `wanted`, or as they are stored (nullptr). A matrix whose
/// rows are not made of whole blocks becomes f16, which the log says.
const Format& target_format(std::string_view name, const LazyTensor& data, const Format* wanted);

/// general.file_type of a file whose matrices have a format; nullopt where there is no number for it.
std::optional<uint32_t> file_type(const Format& format);

}  // namespace skald
