#include "cli/chat/sampling_line.h"

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <sstream>
#include <vector>

#include "cli/flags/sampling.h"
#include "cli/flags/suggest.h"

namespace skald {

namespace {

struct Setting {
  std::string name, value;
};

// Every other word is a name.
std::vector<Setting> settings_of(const std::string& line) {
  std::istringstream in(line);
  std::vector<Setting> out;
  for (std::string word; in >> word;) {
    Setting& s = out.emplace_back();
    s.name = word.starts_with('-') ? word : "--" + word;
    if (!(in >> s.value)) throw UsageError(fmt::format("/params: {}: want a value after it", word));
  }
  return out;
}

[[noreturn]] void fail_unknown(const FlagTable& table, const std::string& name) {
  std::vector<std::string> known;
  for (const DeclaredFlag& flag : table.flags())
    for (const DeclaredFlag::Name& n : flag.names)
      if (n.text.starts_with("--")) known.push_back(n.text.substr(2));
  const std::string nearest = nearest_word(name.substr(2), known);
  throw UsageError(fmt::format("/params: there is no parameter {}{}", name.substr(2),
                               nearest.empty() ? "; /params alone shows all" : "; did you mean " + nearest + "?"));
}

SamplingParams changed_by(const SamplingParams& params, const Model& model, const Setting& setting) {
  CLI::App app;
  Flags flags(app);
  SamplingFlags sampling;
  sampling.declare(flags);
  const FlagTable::Found found = flags.table().find(setting.name);
  if (!found) fail_unknown(flags.table(), setting.name);
  try {
    app.parse(std::vector<std::string>{setting.value, found.flag->long_name()});  // it takes them from the back
  } catch (const CLI::ParseError&) {
    throw UsageError(fmt::format("/params: {}: want {}, not '{}'", setting.name.substr(2), found.flag->kind, setting.value));
  }
  SamplingParams out = sampling.with(params, [&](std::span<const std::string> texts) { return model.dry_breakers(texts); });
  if (!flags.given("--seed")) out.seed = params.seed;
  out.check(model.n_vocab());
  return out;
}

}  // namespace

SamplingParams changed_sampling(const SamplingParams& params, const Model& model, const std::string& line) {
  SamplingParams out = params;
  for (const Setting& setting : settings_of(line)) out = changed_by(out, model, setting);
  return out;
}

}  // namespace skald
