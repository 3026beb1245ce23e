// Messages of the regular expression library.
#pragma once

#include <string>

namespace skald {

/// Says in words what an error number of PCRE2 means.
std::string pcre2_message(int error);

}  // namespace skald
