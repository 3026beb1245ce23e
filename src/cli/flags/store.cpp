#include "cli/flags/store.h"

#include <fmt/format.h>

#include "cli/flags/common.h"

namespace skald {

void StoreFlags::declare(Flags& flags, const char* help) {
  flags.add("--prefix-cache-url", url, help, "URL");
  flags.add("--prefix-cache-password-file", password_file, "file with the password for Redis", "FILE");
}

std::string StoreFlags::password(std::string_view command) const {
  if (password_file.empty()) return {};
  if (url.empty())
    throw UsageError(fmt::format("{}: --prefix-cache-password-file: want --prefix-cache-url with it", command));
  const std::string text = read_text(password_file);
  std::string out = text.substr(0, text.find_first_of("\r\n"));
  if (out.empty())
    throw UsageError(fmt::format("{}: --prefix-cache-password-file: want a password in the file's first line", command));
  return out;
}

}  // namespace skald
