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

std::string described_sampling(const SamplingParams& p) {
  const SamplingParams off{.temperature = 0, .top_k = 0, .top_p = 1, .min_p = 0};
  std::string out = fmt::format("temp {}", p.temperature);
  const auto tell = [&](const char* name, auto value, auto without) {
    if (value != without) out += fmt::format(", {} {}", name, value);
  };
  tell("dynatemp-range", p.dynatemp_range, off.dynatemp_range);
  tell("top-k", p.top_k, off.top_k);
  tell("top-p", p.top_p, off.top_p);
  tell("min-p", p.min_p, off.min_p);
  tell("typical", p.typical_p, off.typical_p);
  tell("top-nsigma", p.top_n_sigma, off.top_n_sigma);
  tell("xtc-probability", p.xtc_probability, off.xtc_probability);
  tell("repeat-penalty", p.repeat_penalty, off.repeat_penalty);
  tell("presence-penalty", p.presence_penalty, off.presence_penalty);
  tell("frequency-penalty", p.frequency_penalty, off.frequency_penalty);
  tell("dry-multiplier", p.dry_multiplier, off.dry_multiplier);
  tell("mirostat", p.mirostat, off.mirostat);
  if (p.seed != SamplingParams::kRandomSeed) out += fmt::format(", seed {}", p.seed);
  return out;
}

}  // namespace skald
