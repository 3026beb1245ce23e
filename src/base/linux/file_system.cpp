#include "base/file_system.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

namespace skald {
namespace {

bool is_within(const std::filesystem::path& path, const std::filesystem::path& mount) {
  return std::mismatch(mount.begin(), mount.end(), path.begin(), path.end()).first == mount.end();
}

}  // namespace

// The last of the longest mounts that hold the path: lines "ID parent device ROOT MOUNT options... - TYPE source OPTIONS".
std::string file_system_of(const std::string& path, const std::string& root) {
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

int64_t changed_at(const struct stat& file) { return file.st_mtim.tv_sec * int64_t{1'000'000'000} + file.st_mtim.tv_nsec; }

}  // namespace skald
