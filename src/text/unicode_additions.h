// Characters that are newer than the regular expression library.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace skald {

struct UnicodeAddition {
  uint32_t first, last;
  std::string_view category;  // the group "M", "N", "P" or "S", or for letters the precise "Lu", "Ll", "Lm" or "Lo"
};

std::span<const UnicodeAddition> unicode_additions();

}  // namespace skald
