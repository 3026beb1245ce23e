#include "base/system_files.h"

#include <fstream>

namespace skald {

std::string first_line_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

std::optional<int64_t> kib_line_of(const std::string& path, const std::string& name) {
  constexpr int64_t kMost = int64_t{1} << 52;  // so that bytes do not overflow
  std::ifstream file(path);
  int64_t kib = 0;
  for (std::string word, rest; file >> word; std::getline(file, rest))
    if (word == name && file >> kib && kib >= 0 && kib < kMost) return kib * 1024;
  return std::nullopt;
}

std::string chosen_word(const std::string& line) {
  const size_t begin = line.find('['), end = line.find(']');
  if (begin == std::string::npos || end == std::string::npos || end < begin) return "";
  return line.substr(begin + 1, end - begin - 1);
}

}  // namespace skald
