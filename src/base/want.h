// want(): checks of the arguments of users and embedders.
#pragma once

#include <string_view>

#include "base/error.h"

namespace skald {

/// Throws kBadInput, "name: want range", unless `ok`.
inline void want(bool ok, std::string_view name, std::string_view range) {
  if (!ok) fail(Errc::kBadInput, "{}: want {}", name, range);
}

}  // namespace skald
