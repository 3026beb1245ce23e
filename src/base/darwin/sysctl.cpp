#include "base/darwin/sysctl.h"

#include <sys/sysctl.h>

#include <cstring>

namespace skald {

// Numbers have 32 or 64 bits.
int64_t sysctl_number(const char* name) {
  int64_t wide = 0;
  size_t bytes = sizeof wide;
  if (::sysctlbyname(name, &wide, &bytes, nullptr, 0) != 0) return 0;
  if (bytes == sizeof wide) return wide;
  int32_t narrow = 0;
  if (bytes != sizeof narrow) return 0;
  std::memcpy(&narrow, &wide, sizeof narrow);
  return narrow;
}

std::string sysctl_text(const char* name) {
  size_t bytes = 0;
  if (::sysctlbyname(name, nullptr, &bytes, nullptr, 0) != 0) return "";
  std::string out(bytes, '\0');
  if (::sysctlbyname(name, out.data(), &bytes, nullptr, 0) != 0) return "";
  return out.c_str();  // without the zero at its end
}

}  // namespace skald
