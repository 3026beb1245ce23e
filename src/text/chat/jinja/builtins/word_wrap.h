// Python's textwrap.wrap(), as Jinja's wordwrap calls it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "text/chat/jinja/run/budget.h"

namespace skald::jinja {

struct WrapOptions {
  int64_t width = 79;
  bool break_long_words = true, break_on_hyphens = true;
};

/// Returns the lines of one paragraph; none for blanks alone. Throws Failure (kValue) for a width below 1.
std::vector<std::string> wrapped(std::string_view text, const WrapOptions& options, Budget& budget);

}  // namespace skald::jinja
