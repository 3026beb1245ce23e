#include "sampling/grammar/free_text.h"

#include <array>
#include <vector>

#include "sampling/grammar/marker_spelling.h"

namespace skald {

FreeText::FreeText(RegexSet& regexes, RegexId marks) : regexes_(regexes) {
  const RegexId any = regexes.anything(), more = regexes.without_empty(any);
  up_to_mark_ = regexes.concat(std::array{any, marks});
  free_ = regexes.complement(regexes.concat(std::array{up_to_mark_, any}));
  no_mark_before_ = regexes.complement(regexes.concat(std::array{up_to_mark_, more}));
}

RegexId FreeText::up_to(RegexId ending) {
  return regexes_.both(regexes_.concat(std::array{regexes_.anything(), ending}), no_mark_before_);
}

size_t FreeText::first_mark(std::string_view text) {
  RegexId at = up_to_mark_;
  for (size_t i = 0; i < text.size(); ++i) {
    at = regexes_.derivative(at, static_cast<uint8_t>(text[i]));
    if (regexes_.nullable(at)) return i + 1;
  }
  return 0;
}

RegexId in_any_tokens(RegexSet& regexes, std::string_view text) {
  const RegexId control = regexes.repeat(regexes.literal(std::string(1, kControlByte)), 0, 1);
  std::vector<RegexId> parts;
  for (const char c : text) {
    parts.push_back(control);
    parts.push_back(regexes.literal(std::string(1, c)));
  }
  return regexes.concat(parts);
}

}  // namespace skald
