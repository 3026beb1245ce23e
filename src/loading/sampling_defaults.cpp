#include "loading/sampling_defaults.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/log.h"

namespace skald {
namespace {

// Sets the field and gives the value as a text.
std::string set(SamplingParams& params, float SamplingParams::*field, const Meta& meta, const std::string& key) {
  return fmt::to_string(params.*field = meta.f32(key));
}

std::string set(SamplingParams& params, int SamplingParams::*field, const Meta& meta, const std::string& key) {
  constexpr int64_t kMost = std::numeric_limits<int>::max();
  const auto value = static_cast<int>(std::clamp<int64_t>(meta.i64(key), -kMost, kMost));
  params.*field = value < 0 && field == &SamplingParams::top_k ? 0 : value;  // -1 is "all", too
  return fmt::to_string(params.*field);
}

// Runs `set` on a copy that replaces the parameters if they are in range. Whether it did.
template <class Set>
bool try_key(SamplingDefaults& out, const Meta& meta, std::string_view name, Set set) {
  const std::string key = "general.sampling." + std::string(name);
  if (!meta.has(key)) return false;
  try {
    SamplingParams changed = out.params;
    const std::string value = set(changed, key);
    changed.check();
    out.params = std::move(changed);
    out.described += fmt::format("{}{} {}", out.described.empty() ? "" : ", ", name, value);
    return true;
  } catch (const Error& e) {
    log(LogLevel::kWarn, "{} is left out: {}", key, e.what());
    return false;
  }
}

}  // namespace

SamplingDefaults read_sampling_defaults(const Meta& meta) {
  SamplingDefaults out;
  for (const SamplingNumber& number : sampling_numbers()) {
    if (number.meta.empty()) continue;
    const auto set_field = [&](SamplingParams& params, const std::string& key) {
      return std::visit([&](auto field) { return set(params, field, meta, key); }, number.field);
    };
    if (try_key(out, meta, number.meta, set_field)) out.fields.push_back(number.field);
  }
  out.samplers = try_key(out, meta, "sequence", [&](SamplingParams& params, const std::string& key) {
    params.samplers = SamplingParams::parse_samplers(meta.str(key));
    return meta.str(key);
  });
  return out;
}

}  // namespace skald
