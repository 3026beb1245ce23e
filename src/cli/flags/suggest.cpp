#include "cli/flags/suggest.h"

#include <algorithm>
#include <vector>

namespace skald {

size_t typing_distance(std::string_view a, std::string_view b) {
  // rows[i][j]: of the first i letters of a and the first j of b
  std::vector<std::vector<size_t>> rows(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i)
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        rows[i][j] = i + j;
        continue;
      }
      const size_t changed = rows[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      rows[i][j] = std::min({rows[i - 1][j] + 1, rows[i][j - 1] + 1, changed});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        rows[i][j] = std::min(rows[i][j], rows[i - 2][j - 2] + 1);
    }
  return rows.back().back();
}

std::string nearest_word(std::string_view word, std::span<const std::string> known) {
  constexpr size_t kLongest = 64;  // of typed words
  if (word.size() > kLongest) return {};
  std::string nearest;
  const auto letters = static_cast<size_t>(std::ranges::count_if(word, [](char c) { return c != '-'; }));
  size_t least = std::max<size_t>(letters / 3, 1) + 1;
  for (const std::string& k : known)
    if (const size_t d = typing_distance(word, k); d < least) {
      least = d;
      nearest = k;
    }
  return nearest;
}

}  // namespace skald
