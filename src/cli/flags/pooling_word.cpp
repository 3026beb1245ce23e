#include "cli/flags/pooling_word.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "cli/flags/flags.h"

namespace skald {

std::optional<Pooling> pooling_of(const std::string& command, const std::string& word) {
  constexpr std::pair<std::string_view, Pooling> kNames[] = {{"none", Pooling::kNone},
                                                             {"mean", Pooling::kMean},
                                                             {"cls", Pooling::kCls},
                                                             {"last", Pooling::kLast},
                                                             {"rank", Pooling::kRank}};
  if (word.empty()) return {};
  for (const auto& [known, pooling] : kNames)
    if (word == known) return pooling;
  throw UsageError(fmt::format("{}: --pooling {}: want none, mean, cls, last or rank", command, word));
}

}  // namespace skald
