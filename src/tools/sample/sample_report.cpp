#include <fmt/format.h>

#include <algorithm>

#include "tools/report/table.h"
#include "tools/sample/sample.h"

namespace skald {
namespace {

constexpr size_t kShown = 40;  // rows of a step's table

std::string ids(const std::vector<TokenId>& tokens, const char* separator, size_t most) {
  std::string out;
  for (size_t i = 0; i < std::min(most, tokens.size()); ++i) out += fmt::format("{}{}", i ? separator : "", tokens[i]);
  return out;
}

}  // namespace

// Written piece by piece: a step may have as many candidates as a vocabulary.
std::string sample_json(const std::vector<SampleStep>& steps) {
  std::string out = "{\"steps\": [";
  for (const SampleStep& step : steps) {
    out += &step == steps.data() ? "\n" : ",\n";
    out += "{\"candidates\": [";
    for (size_t i = 0; i < step.candidates.size(); ++i)
      out += fmt::format("{}{{\"id\": {}, \"p\": {}}}", i ? ", " : "", step.candidates[i].first, step.candidates[i].second);
    out += fmt::format("], \"tokens\": [{}]}}", ids(step.tokens, ", ", step.tokens.size()));
  }
  return out + "\n]}\n";
}

std::string sample_markdown(const std::vector<SampleStep>& steps) {
  std::string out;
  for (size_t s = 0; s < steps.size(); ++s) {
    const SampleStep& step = steps[s];
    Table table{{"token", "p"}, {}};
    for (size_t i = 0; i < std::min(kShown, step.candidates.size()); ++i)
      table.rows.push_back({fmt::to_string(step.candidates[i].first), fmt::format("{:.6f}", step.candidates[i].second)});
    out +=
        fmt::format("{}step {}: {} tokens may come next\n\n{}", s ? "\n" : "", s, step.candidates.size(), table.markdown());
    if (step.candidates.size() > kShown) out += fmt::format("and {} more\n", step.candidates.size() - kShown);
    out += fmt::format("\ndrawn: {}{}\n", ids(step.tokens, " ", kShown),
                       step.tokens.size() > kShown ? fmt::format(" and {} more", step.tokens.size() - kShown) : "");
  }
  return out;
}

}  // namespace skald
