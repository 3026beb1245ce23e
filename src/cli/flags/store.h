// --prefix-cache-url and --prefix-cache-password-file: a server that keeps pages of prompts.
#pragma once

#include <string>

#include "cli/flags/flags.h"

namespace skald {

struct StoreFlags {
  std::string url = {}, password_file = {};

  /// `help`: of the first one.
  void declare(Flags& flags, const char* help);
  /// Reads the file; empty where there is none. Throws UsageError naming the command, and Error.
  std::string password(std::string_view command) const;
};

}  // namespace skald
