#include "tools/report/draft_words.h"

#include <fmt/format.h>

#include <vector>

namespace skald {

double percent_right(int64_t right, int64_t guessed) {
  return guessed ? 100 * static_cast<double>(right) / static_cast<double>(guessed) : 0;
}

std::string percent_by_place(const DraftUse& use, std::string_view separator) {
  std::vector<std::string> places;
  for (const DraftUse::Place& p : use.places) places.push_back(fmt::format("{:.0f}", percent_right(p.right, p.guessed)));
  return fmt::format("{}", fmt::join(places, separator));
}

}  // namespace skald
