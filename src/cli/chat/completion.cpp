#include "cli/chat/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/terminal_text.h"

namespace skald {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostFiles = 10000;  // of a folder that are looked at
constexpr size_t kMostListed = 100;

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

// The last part of a path; of a folder with its slash.
std::string_view last_part(std::string_view word) {
  const size_t slash = word.substr(0, word.size() - 1).rfind('/');
  return slash == std::string_view::npos || slash == 0 ? word : word.substr(slash + 1);
}

}  // namespace

std::string Completion::common() const {
  if (words.empty()) return {};
  const std::string& first = words.front();
  size_t n = first.size();
  for (const std::string& word : words) n = std::min<size_t>(n, std::ranges::mismatch(first, word).in1 - first.begin());
  while (n > 0 && n < first.size() && !begins_character(first[n])) --n;
  return first.substr(0, n);
}

std::string Completion::listed() const {
  std::string out;
  for (const std::string& word : words) {
    if (&word - words.data() == kMostListed) return out + fmt::format("... {} more", words.size() - kMostListed);
    out += fmt::format("{}  ", last_part(word));
  }
  return out;
}

std::vector<std::string> paths_like(std::string_view typed) {
  const size_t slash = typed.rfind('/');
  const std::string folder(typed.substr(0, slash == std::string_view::npos ? 0 : slash + 1));
  const std::string_view begun = typed.substr(folder.size());
  std::vector<std::string> out;
  std::error_code error;
  size_t n = 0;
  for (fs::directory_iterator at(folder.empty() ? "." : folder, error), end; !error && at != end && n < kMostFiles;
       at.increment(error), ++n) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(begun) || (begun.empty() && name.starts_with('.')) || terminal_text(name) != name) continue;
    std::error_code unknown;
    out.push_back(folder + name + (at->is_directory(unknown) ? "/" : ""));
  }
  std::ranges::sort(out);
  return out;
}

}  // namespace skald
