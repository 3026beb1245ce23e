// The header Link, RFC 8288: where a list goes on.
#pragma once

#include <string>
#include <string_view>

namespace skald {

/// Returns the target whose relation is "next", as it is written: maybe relative. Empty where there is none.
std::string next_link(std::string_view header);

}  // namespace skald
