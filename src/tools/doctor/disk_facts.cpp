#include "tools/doctor/disk_facts.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/file_system.h"

namespace skald {
namespace {

namespace fs = std::filesystem;

// The folder, or the first one above it that is there.
fs::path there(const fs::path& folder) {
  std::error_code ignored;
  fs::path at = fs::absolute(folder, ignored);
  while (at.has_relative_path() && !fs::exists(at, ignored)) at = at.parent_path();
  const fs::path real = fs::canonical(at, ignored);
  return real.empty() ? at : real;
}

int64_t bytes_of(fsblkcnt_t blocks, unsigned long size) {
  const double bytes = static_cast<double>(blocks) * static_cast<double>(size);
  return static_cast<int64_t>(std::min(bytes, 0x1p62));
}

}  // namespace

DiskFacts disk_facts(const std::string& use, const std::string& folder, const std::string& root) {
  DiskFacts out{.use = use, .folder = folder};
  const fs::path path = there(folder);
  std::error_code ignored;
  out.file_system = file_system_of(path.string(), root);
  out.writable = fs::is_directory(path, ignored) && ::access(path.c_str(), W_OK | X_OK) == 0;
  struct statvfs disk = {};
  if (::statvfs(path.c_str(), &disk) == 0) {
    out.total = bytes_of(disk.f_blocks, disk.f_frsize);
    out.free = bytes_of(disk.f_bavail, disk.f_frsize);
  }
  return out;
}

}  // namespace skald
