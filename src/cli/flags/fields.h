// The flags that set the fields of options: the library's errors name fields, those of the command line flags.
#pragma once

#include <string>
#include <string_view>

namespace skald {

/// The text with flags in place of fields: "cache.type_k: ..." -> "--cache-type-k (-ctk): ...". Words in quotes and parts of
/// paths stay as they are.
std::string in_flags(std::string_view text);

}  // namespace skald
