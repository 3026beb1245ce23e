#include "cli/terminal/tell.h"

#include <fmt/format.h>

#include <cstdio>

#include "base/log.h"
#include "base/terminal_text.h"

namespace skald {

void tell(std::string_view line) {
  if (!log_enabled(LogLevel::kWarn)) return;
  std::fputs(fmt::format("skald: {}\n", terminal_text(line)).c_str(), stderr);  // with or without a reader
}

}  // namespace skald
