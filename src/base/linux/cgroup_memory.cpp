#include "base/cgroup_memory.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <vector>

namespace skald {
namespace {

namespace fs = std::filesystem;

// How one version spells its files.
struct Spelling {
  const char *limit, *used, *cached_active, *cached_inactive;
};
constexpr Spelling kVersion1{"memory.limit_in_bytes", "memory.usage_in_bytes", "total_active_file", "total_inactive_file"};
constexpr Spelling kVersion2{"memory.max", "memory.current", "active_file", "inactive_file"};

// Version 1 spells "no limit" as the largest multiple of a page.
constexpr int64_t kNoLimit = int64_t{1} << 62;

struct Hierarchy {
  const Spelling* spelling;
  fs::path mount;        // where the file system of the groups is
  std::string root, at;  // the group that is mounted there, and this process's
};

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

bool in_list(std::string_view list, std::string_view word) {
  for (size_t at = 0; at <= list.size();) {
    const size_t end = std::min(list.find(',', at), list.size());
    if (list.substr(at, end - at) == word) return true;
    at = end + 1;
  }
  return false;
}

// A line of /proc/self/mountinfo: ID parent device ROOT MOUNT options... - TYPE source OPTIONS
std::optional<Hierarchy> hierarchy_of(const std::vector<std::string>& words) {
  const auto dash = std::ranges::find(words, "-");
  if (words.size() < 5 || words.end() - dash < 4) return std::nullopt;
  const std::string &type = dash[1], &options = dash[3];
  const Spelling* spelling = nullptr;
  if (type == "cgroup2") spelling = &kVersion2;
  if (type == "cgroup" && in_list(options, "memory")) spelling = &kVersion1;
  if (!spelling) return std::nullopt;
  return Hierarchy{.spelling = spelling, .mount = words[4], .root = words[3], .at = {}};
}

// Of /proc/self/cgroup, "ID:controllers:/path"; version 2 has no controllers.
std::string group_of(const fs::path& proc, const Spelling* spelling) {
  std::ifstream file(proc / "self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (spelling == &kVersion2 ? controllers.empty() : in_list(controllers, "memory")) return line.substr(second + 1);
  }
  return "/";
}

std::optional<int64_t> number_in(const fs::path& path) {
  std::ifstream file(path);
  int64_t value = 0;
  if (file >> value) return value;  // "max" is none
  return std::nullopt;
}

int64_t cached_files(const fs::path& folder, const Spelling& spelling) {
  std::ifstream file(folder / "memory.stat");
  int64_t sum = 0, value = 0;
  for (std::string name; file >> name >> value;)
    if (name == spelling.cached_active || name == spelling.cached_inactive) sum += value;
  return sum;
}

std::optional<int64_t> room_of(const fs::path& folder, const Spelling& spelling) {
  const auto limit = number_in(folder / spelling.limit), used = number_in(folder / spelling.used);
  if (!limit || !used || *limit >= kNoLimit) return std::nullopt;
  return std::max<int64_t>(0, *limit - std::max<int64_t>(0, *used - cached_files(folder, spelling)));
}

// A group is bound by the limits of all groups that it is in.
std::optional<int64_t> room_of(const Hierarchy& h, const std::string& root) {
  const fs::path top = fs::path(root + h.mount.string());
  std::error_code ignored;
  fs::path below = fs::path(h.at).lexically_relative(h.root);
  if (below.empty() || below.begin()->string() == ".." || !fs::is_directory(top / below, ignored)) below = ".";
  std::optional<int64_t> least;
  for (fs::path at = below;; at = at.parent_path()) {
    if (const auto room = room_of(top / at, *h.spelling)) least = std::min(least.value_or(*room), *room);
    if (at.empty() || at == ".") return least;
  }
}

}  // namespace

std::optional<int64_t> cgroup_room(const std::string& root) {
  const fs::path proc = root + "/proc";
  std::ifstream mounts(proc / "self/mountinfo");
  std::optional<int64_t> least;
  for (std::string line; std::getline(mounts, line);) {
    auto h = hierarchy_of(words_of(line));
    if (!h) continue;
    h->at = group_of(proc, h->spelling);
    if (const auto room = room_of(*h, root)) least = std::min(least.value_or(*room), *room);
  }
  return least;
}

}  // namespace skald
