// The parts of the table of str's methods, a file each.
#pragma once

#include <span>
#include <string_view>

#include "text/chat/jinja/run/access.h"

namespace skald::jinja {

/// str.isupper() and str.islower().
bool is_of_case(std::string_view text, bool upper_case, Budget& budget);

std::span<const MethodEntry> text_searches();  // find(), startswith(), isalpha() and their kin
std::span<const MethodEntry> text_forms();     // upper(), center() and their kin

}  // namespace skald::jinja
