#include "tools/doctor/disk_facts.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

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

bool is_within(const fs::path& path, const fs::path& mount) {
  return std::mismatch(mount.begin(), mount.end(), path.begin(), path.end()).first == mount.end();
}

// The last of the longest mounts that hold the path: lines "ID parent device ROOT MOUNT options... - TYPE source OPTIONS".
std::string file_system_of(const fs::path& path, const std::string& root) {
  std::ifstream file(root + "/proc/self/mountinfo");
  std::string type;
  size_t longest = 0;
  for (std::string line; std::getline(file, line);) {
    std::istringstream in(line);
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    const auto dash = std::ranges::find(words, "-");
    if (words.size() < 5 || words.end() - dash < 2) continue;
    const std::string& mount = words[4];
    if (mount.size() < longest || !is_within(path, mount)) continue;
    longest = mount.size();
    type = dash[1];
  }
  return type;
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
  out.file_system = file_system_of(path, root);
  out.writable = fs::is_directory(path, ignored) && ::access(path.c_str(), W_OK | X_OK) == 0;
  struct statvfs disk = {};
  if (::statvfs(path.c_str(), &disk) == 0) {
    out.total = bytes_of(disk.f_blocks, disk.f_frsize);
    out.free = bytes_of(disk.f_bavail, disk.f_frsize);
  }
  return out;
}

}  // namespace skald
