#include "sampling/grammar/schema/finite_language.h"

#include <utility>

namespace skald {
namespace {

constexpr size_t kMaxSteps = 2000;  // beginnings of texts that are looked at

}  // namespace

std::optional<std::vector<std::string>> finite_texts(RegexSet& regexes, RegexId language, size_t most) {
  std::vector<std::string> out;
  std::vector<std::pair<std::string, RegexId>> open{{"", language}};
  for (size_t steps = 0; !open.empty(); ++steps) {
    const auto [text, at] = open.back();
    open.pop_back();
    if (steps >= kMaxSteps || open.size() > most) return std::nullopt;
    if (regexes.nullable(at)) out.push_back(text);
    if (out.size() > most) return std::nullopt;
    for (unsigned byte = 0; byte < 256 && open.size() <= most; ++byte) {
      const RegexId next = regexes.derivative(at, static_cast<uint8_t>(byte));
      if (next != RegexSet::kNothing) open.emplace_back(text + static_cast<char>(byte), next);
    }
  }
  return out;
}

}  // namespace skald
