#include "cli/flags/environment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>

#include "base/lowercase.h"
#include "cli/flags/flags.h"
#include "cli/flags/table_flags.h"
#include "cli/terminal/tell.h"

namespace skald {
namespace {

struct Twin {
  std::string_view flag, variable;
};

// The variables of flags that are in no table. llama.cpp has none for the others.
constexpr Twin kLlamaTwins[] = {
    {"--model", "LLAMA_ARG_MODEL"},
    {"--hf-repo", "LLAMA_ARG_HF_REPO"},
    {"--hf-file", "LLAMA_ARG_HF_FILE"},
    {"--offline", "LLAMA_ARG_OFFLINE"},
    {"--predict", "LLAMA_ARG_N_PREDICT"},
    {"--load-mode", "LLAMA_ARG_LOAD_MODE"},
    {"--mmap", "LLAMA_ARG_MMAP"},
    {"--no-mmap", "LLAMA_ARG_NO_MMAP"},
    {"--repack", "LLAMA_ARG_REPACK"},
    {"--no-repack", "LLAMA_ARG_NO_REPACK"},
    {"--perf", "LLAMA_ARG_PERF"},
    {"--no-perf", "LLAMA_ARG_NO_PERF"},
    {"--rope-scaling", "LLAMA_ARG_ROPE_SCALING_TYPE"},
    {"--rope-scale", "LLAMA_ARG_ROPE_SCALE"},
    {"--rope-freq-base", "LLAMA_ARG_ROPE_FREQ_BASE"},
    {"--rope-freq-scale", "LLAMA_ARG_ROPE_FREQ_SCALE"},
    {"--yarn-orig-ctx", "LLAMA_ARG_YARN_ORIG_CTX"},
    {"--yarn-ext-factor", "LLAMA_ARG_YARN_EXT_FACTOR"},
    {"--yarn-attn-factor", "LLAMA_ARG_YARN_ATTN_FACTOR"},
    {"--yarn-beta-slow", "LLAMA_ARG_YARN_BETA_SLOW"},
    {"--yarn-beta-fast", "LLAMA_ARG_YARN_BETA_FAST"},
};

// Ways to say the same: where the command line has one, the environment's others do not count.
constexpr std::string_view kModel[] = {"name", "--model", "--hf-repo"};

bool is_model(const DeclaredFlag& flag) {
  return std::ranges::any_of(flag.names,
                             [](const DeclaredFlag::Name& name) { return std::ranges::count(kModel, name.text) > 0; });
}

// "--ctx-size" -> "SKALD_CTX_SIZE"
std::string own_variable(std::string_view flag) {
  std::string out = "SKALD_";
  for (char c : flag.substr(2)) out += c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

struct Setting {
  std::string variable, value;
};

// An empty variable is none.
std::optional<Setting> setting_named(const std::string& variable) {
  const char* const value = std::getenv(variable.c_str());  // NOLINT(concurrency-mt-unsafe): nothing here writes it
  if (!value || !*value) return std::nullopt;
  return Setting{variable, value};
}

std::optional<Setting> own_setting(const std::string& flag) { return setting_named(own_variable(flag)); }

// Where llama.cpp reads a flag from; empty: nowhere.
std::string_view llama_variable(const std::string& flag) {
  if (const std::string_view variable = table_variable(flag); !variable.empty()) return variable;
  const auto* const twin = std::ranges::find(kLlamaTwins, flag, &Twin::flag);
  return twin == std::end(kLlamaTwins) ? "" : twin->variable;
}

std::optional<Setting> llama_setting(const std::string& flag) {
  const std::string_view variable = llama_variable(flag);
  return variable.empty() ? std::nullopt : setting_named(std::string(variable));
}

bool is_on(const Setting& s) {
  const std::string value = lowercase(s.value);
  for (const char* on : {"1", "on", "true", "enabled", "yes"})
    if (value == on) return true;
  for (const char* off : {"0", "off", "false", "disabled", "no"})
    if (value == off) return false;
  throw UsageError(fmt::format("{}={}: want 1 or 0", s.variable, s.value));
}

// What the parser is given for a setting: a switch that is off has a word only where the flag has a name for it.
std::string word_of(const DeclaredFlag& flag, const DeclaredFlag::Name& name, const Setting& s) {
  if (flag.takes_value) return flag.long_name() + "=" + s.value;
  return flag.long_name(is_on(s) ? name.off : !name.off);
}

void take_llama_variables(const FlagTable& table, std::string_view command, std::span<const LlamaFlag* const> taken) {
  if (!takes_llama_flags(table)) return;
  for (const LlamaFlag& flag : llama_flags())
    if (const auto s = flag.variable.empty() || std::ranges::find(taken, &flag) != taken.end()
                           ? std::nullopt
                           : setting_named(std::string(flag.variable)))
      take_llama_flag(flag, command, s->variable + "=" + s->value, s->value, true);
}

}  // namespace

std::vector<std::string> words_of_environment(const FlagTable& table, std::string_view command,
                                              std::span<const DeclaredFlag* const> given,
                                              std::span<const LlamaFlag* const> taken) {
  std::vector<std::string> words, said;
  const auto take = [&](const DeclaredFlag& flag, auto setting_of) {
    for (const DeclaredFlag::Name& name : flag.names) {
      const auto s = name.text.starts_with("--") ? setting_of(name.text) : std::nullopt;
      if (!s) continue;
      if (std::string word = word_of(flag, name, *s); !word.empty()) words.push_back(std::move(word));
      said.push_back(fmt::format("{}={} ({})", s->variable, s->value, name.text));
      return true;
    }
    return false;
  };
  const DeclaredFlag* const help = table.find("--help").flag;
  const bool model_given = std::ranges::any_of(given, [](const DeclaredFlag* flag) { return is_model(*flag); });
  const auto counts = [&](const DeclaredFlag& flag) {
    return &flag != help && std::ranges::find(given, &flag) == given.end() && !(model_given && is_model(flag));
  };
  for (const DeclaredFlag& flag : table.flags())
    if (counts(flag) && !take(flag, own_setting)) take(flag, llama_setting);
  if (!said.empty()) tell(fmt::format("{}: from the environment: {}", command, fmt::join(said, ", ")));
  take_llama_variables(table, command, taken);
  return words;
}

}  // namespace skald
