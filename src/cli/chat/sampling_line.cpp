#include "cli/chat/sampling_line.h"

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "cli/sampling_flags.h"

namespace skald {

// Every other word is a name.
static std::vector<std::string> as_flags(const std::string& line) {
  std::istringstream in(line);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(words.size() % 2 == 0 && !word.starts_with('-') ? "--" + word : word);
  if (words.size() % 2) throw UsageError(fmt::format("/params: {}: want a value behind it", words.back()));
  return words;
}

SamplingParams changed_sampling(const SamplingParams& params, const Model& model, const std::string& line) {
  CLI::App app;
  Flags flags(app);
  SamplingFlags sampling;
  sampling.declare(flags);
  std::vector<std::string> words = as_flags(line);
  std::ranges::reverse(words);  // the parser takes them from the back
  try {
    app.parse(std::move(words));
  } catch (const CLI::ParseError& e) {
    throw UsageError(std::string("/params: ") + e.what());
  }
  SamplingParams out = sampling.with(params, [&](std::span<const std::string> texts) { return model.dry_breakers(texts); });
  if (!flags.given("--seed")) out.seed = params.seed;
  out.check(model.n_vocab());
  return out;
}

}  // namespace skald
