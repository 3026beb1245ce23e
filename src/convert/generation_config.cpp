#include "convert/generation_config.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/log.h"
#include "convert/json_node.h"

namespace skald {
namespace {

constexpr std::string_view kFile = "generation_config.json";

struct Row {
  std::string_view from, to;
  bool of_draws;  // without draws it means nothing
};
constexpr Row kNumbers[] = {
    {"temperature", "temp", true},
    {"top_p", "top_p", true},
    {"min_p", "min_p", true},
    {"typical_p", "typical_p", true},
    {"repetition_penalty", "penalty_repeat", false},
};

std::string key_of(std::string_view name) { return "general.sampling." + std::string(name); }

// fn(value) where the key is there; an error leaves it out.
template <class Fn>
void with(const JsonNode& config, std::string_view key, Fn fn) {
  try {
    if (const auto node = config.find(key)) fn(*node);
  } catch (const Error& e) {
    log(LogLevel::kWarn, "{}: it is left out", e.what());
  }
}

void add_keys(const JsonNode& config, Meta& meta) {
  bool draws = true;
  with(config, "do_sample", [&](const JsonNode& node) { draws = node.flag(); });
  if (!draws) meta.set(key_of("temp"), 0.0F);
  if (draws)
    with(config, "top_k", [&](const JsonNode& node) {
      const int64_t k = node.integer();
      if (k < 0 || k > std::numeric_limits<int32_t>::max()) node.want("a number of tokens");
      meta.set(key_of("top_k"), static_cast<int32_t>(k));
    });
  for (const Row& row : kNumbers)
    if (draws || !row.of_draws)
      with(config, row.from, [&](const JsonNode& node) {
        const auto value = static_cast<float>(node.number());
        if (!std::isfinite(value)) node.want("a number");
        meta.set(key_of(row.to), value);
      });
  // There it counts for the whole text, not the last tokens only.
  if (meta.peek(key_of("penalty_repeat"))) meta.set(key_of("penalty_last_n"), int32_t{-1});
}

}  // namespace

void add_sampling_defaults(const HfDirectory& dir, Meta& meta) {
  if (!dir.has(kFile)) return;
  try {
    const nlohmann::json json = dir.read_json(kFile);
    const JsonNode config(json, dir.file_path(kFile));
    if (!config.is_object()) config.want("an object");
    add_keys(config, meta);
  } catch (const Error& e) {
    log(LogLevel::kWarn, "{}: no sampling defaults are taken from it", e.what());
  }
}

}  // namespace skald
