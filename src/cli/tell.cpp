#include "cli/tell.h"

#include <fmt/format.h>

#include <cstdio>

#include "base/log.h"
#include "base/terminal_text.h"

namespace skald {

void tell(std::string_view line) {
  if (log_enabled(LogLevel::kWarn)) fmt::print(stderr, "skald: {}\n", terminal_text(line));
}

}  // namespace skald
