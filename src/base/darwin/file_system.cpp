// As <sys/mount.h> and <sys/stat.h> of macOS have it.
#include "base/file_system.h"

#include <sys/mount.h>
#include <sys/param.h>

namespace skald {

std::string file_system_of(const std::string& path, const std::string&) {
  struct statfs at = {};
  return ::statfs(path.c_str(), &at) == 0 ? at.f_fstypename : "";
}

int64_t changed_at(const struct stat& file) {
  return file.st_mtimespec.tv_sec * int64_t{1'000'000'000} + file.st_mtimespec.tv_nsec;
}

}  // namespace skald
