#include "tools/bench/sparq_words.h"

#include <fmt/format.h>

#include <algorithm>

namespace skald {
namespace {

std::string spread(const char* name, const std::vector<SparqParams::Choice>& choices, int64_t SparqParams::Choice::*of) {
  const auto [least, most] = std::ranges::minmax(choices, {}, of);
  if (least.*of == most.*of) return fmt::format("{} {}", name, least.*of);
  return fmt::format("{} {} to {}", name, least.*of, most.*of);
}

}  // namespace

std::string describe(const SparqParams& params, const std::vector<SparqParams::Choice>& choices) {
  const std::string by = params.loss > 0    ? fmt::format("loss {:g}: at least ", params.loss)
                         : params.ratio > 0 ? fmt::format("ratio {:g}: ", params.ratio)
                                            : "";
  const std::string kept = spread("k2", choices, &SparqParams::Choice::k2);
  if (params.selector == KeySelection::kPages) return fmt::format("{}{} in whole pages", by, kept);
  return fmt::format("{}{}, {}; index {}{}", by, spread("k1", choices, &SparqParams::Choice::k1), kept, params.index_type(),
                     params.selector == KeySelection::kSparq ? "" : " of the better half of the pages");
}

}  // namespace skald
