#include "convert/hf_config.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "io/printable.h"

namespace skald {
namespace {

using nlohmann::json;

std::string show(const ConfigKeys& keys) {
  std::string out;
  for (const std::string_view key : keys.spellings()) out += (out.empty() ? "" : " or ") + std::string(key);
  return out;
}

[[noreturn]] void wrong(const ConfigKeys& keys, const char* want, const json& value) {
  fail(Errc::kBadFile, "config.json: {}: want {}, file has {}", show(keys), want, printable(value.dump()));
}

int64_t to_i64(const ConfigKeys& keys, const json& value) {
  // Some configurations write whole numbers as 4.0.
  const bool whole = value.is_number_float() && std::trunc(value.get<double>()) == value.get<double>();
  const double number = value.is_number_integer() || whole ? value.get<double>() : -1;
  if (!(number >= 0 && number <= UINT32_MAX)) wrong(keys, "a whole number from 0 to 2^32 - 1", value);
  return static_cast<int64_t>(number);
}

float to_f32(const ConfigKeys& keys, const json& value) {
  const float number = value.is_number() ? static_cast<float>(value.get<double>()) : NAN;
  if (!std::isfinite(number)) wrong(keys, "a number", value);
  return number;
}

}  // namespace

const json* HfConfig::find(const ConfigKeys& keys) const {
  const json* found = nullptr;
  for (const std::string_view key : keys.spellings()) {
    const auto it = object_->find(key);
    if (it == object_->end() || it->is_null()) continue;
    if (!found) found = &*it;
    if (*it == *found) read_->insert(path_ + std::string(key));  // another spelling that says something else does not count
  }
  return found;
}

const json& HfConfig::need(const ConfigKeys& keys) const {
  if (const json* value = find(keys)) return *value;
  fail(Errc::kNotFound, "config.json: {} is missing", show(keys));
}

HfConfig HfConfig::text() const { return object({"text_config", "llm_config", "language_config"}).value_or(*this); }

HfConfig HfConfig::saying(const json& object) const {
  HfConfig out = *this;
  out.object_ = &object;
  return out;
}

json HfConfig::over(const json& defaults) const {
  json out = defaults;
  out.update(*object_);
  return out;
}

bool HfConfig::is_string(const ConfigKeys& keys) const {
  const json* value = find(keys);
  return value && value->is_string();
}

bool HfConfig::is_list(const ConfigKeys& keys) const {
  const json* value = find(keys);
  return value && value->is_array();
}

bool HfConfig::is_unlimited(const ConfigKeys& keys) const {
  const json& value = need(keys);
  if (!value.is_array() || value.size() != 2) wrong(keys, "two numbers", value);
  const json& low = value[0];
  // Python writes a bare word, which is quoted here, or {"__float__": "Infinity"}.
  const json& high = value[1].is_object() && value[1].contains("__float__") ? value[1].at("__float__") : value[1];
  return low.is_number() && low.get<double>() <= 0 && high.is_string() && high.get<std::string>() == "Infinity";
}

int64_t HfConfig::i64(const ConfigKeys& keys) const { return to_i64(keys, need(keys)); }

int64_t HfConfig::i64(const ConfigKeys& keys, int64_t fallback) const {
  const json* value = find(keys);
  return value ? to_i64(keys, *value) : fallback;
}

float HfConfig::f32(const ConfigKeys& keys) const { return to_f32(keys, need(keys)); }

float HfConfig::f32(const ConfigKeys& keys, float fallback) const {
  const json* value = find(keys);
  return value ? to_f32(keys, *value) : fallback;
}

bool HfConfig::flag(const ConfigKeys& keys, bool fallback) const {
  const json* value = find(keys);
  if (!value) return fallback;
  if (value->is_number_integer()) return value->get<double>() != 0;
  if (!value->is_boolean()) wrong(keys, "true or false", *value);
  return value->get<bool>();
}

std::string HfConfig::str(const ConfigKeys& keys, std::string_view fallback) const {
  const json* value = find(keys);
  if (!value) return std::string(fallback);
  if (!value->is_string()) wrong(keys, "a string", *value);
  return value->get<std::string>();
}

std::vector<float> HfConfig::floats(const ConfigKeys& keys) const {
  const json& value = need(keys);
  if (!value.is_array()) wrong(keys, "a list of numbers", value);
  std::vector<float> out;
  for (const json& x : value) out.push_back(to_f32(keys, x));
  return out;
}

std::vector<float> HfConfig::floats(const ConfigKeys& keys, std::vector<float> fallback) const {
  if (!find(keys)) return fallback;
  std::vector<float> out = floats(keys);
  if (out.size() != fallback.size())
    fail(Errc::kBadFile, "config.json: {}: want {} numbers, file has {}", show(keys), fallback.size(), out.size());
  return out;
}

std::vector<int64_t> HfConfig::sizes(const ConfigKeys& keys) const {
  const json& value = need(keys);
  if (!value.is_array()) wrong(keys, "a list of whole numbers", value);
  std::vector<int64_t> out;
  for (const json& x : value) out.push_back(to_i64(keys, x));
  return out;
}

std::vector<int64_t> HfConfig::sizes(const ConfigKeys& keys, int64_t count) const {
  std::vector<int64_t> out = sizes(keys);
  if (std::ssize(out) != count)
    fail(Errc::kBadFile, "config.json: {}: want {} numbers, file has {}", show(keys), count, out.size());
  return out;
}

int64_t HfConfig::same_in_all(const ConfigKeys& keys) const {
  if (!need(keys).is_array()) return i64(keys);
  const std::vector<int64_t> all = sizes(keys);
  if (all.empty() || std::ranges::count(all, all.front()) != std::ssize(all))
    fail(Errc::kUnsupported, "config.json: {}: layers that differ are not supported for this architecture", show(keys));
  return all.front();
}

std::vector<std::string> HfConfig::strings(const ConfigKeys& keys) const {
  const json* value = find(keys);
  std::vector<std::string> out;
  if (!value) return out;
  if (!value->is_array()) wrong(keys, "a list of strings", *value);
  for (const json& x : *value) {
    if (!x.is_string()) wrong(keys, "a list of strings", *value);
    out.push_back(x.get<std::string>());
  }
  return out;
}

std::vector<std::string> HfConfig::names_by_number(const char* key) const {
  const std::optional<HfConfig> names = object(key);
  std::vector<std::string> out;
  while (names) {
    const std::string number = std::to_string(out.size());
    if (!names->has({std::string_view(number)})) break;
    out.push_back(names->str({std::string_view(number)}, ""));
  }
  return out;
}

std::optional<HfConfig> HfConfig::object(const ConfigKeys& keys) const {
  const json* value = find(keys);
  if (!value) return std::nullopt;
  if (!value->is_object()) wrong(keys, "an object", *value);
  HfConfig out = saying(*value);
  const auto is_it = [&](std::string_view key) { return object_->contains(key) && &object_->at(key) == value; };
  out.path_ += std::string(*std::ranges::find_if(keys.spellings(), is_it)) + ".";
  return out;
}

std::vector<std::string> HfConfig::objects() const {
  std::vector<std::string> out;
  for (const auto& [key, value] : object_->items())
    if (value.is_object()) out.push_back(key);
  return out;
}

std::vector<std::string> HfConfig::unread() const {
  std::vector<std::string> out;
  for (const auto& [key, value] : object_->items()) {
    if (value.is_null()) continue;
    if (!read_->contains(path_ + key)) {
      out.push_back(path_ + key);
    } else if (const auto inner = value.is_object() ? object({std::string_view(key)}) : std::nullopt) {
      std::ranges::move(inner->unread(), std::back_inserter(out));
    }
  }
  return out;
}

int64_t HfConfig::d_head() const {
  constexpr int64_t kMost = 65536;  // far above any model
  const int64_t d = i64({"head_dim", "kv_channels"}, 0);
  if (d > kMost) fail(Errc::kBadFile, "config.json: head_dim: want at most {}, file has {}", kMost, d);
  if (d) return d;
  const int64_t n = n_heads();
  if (n == 0) fail(Errc::kBadFile, "config.json: the number of attention heads is 0");
  return d_model() / n;
}

int64_t HfConfig::n_ctx() const {
  return i64({"max_position_embeddings", "n_positions", "max_seq_len", "seq_length", "n_ctx", "max_sequence_length",
              "model_max_length"});
}

}  // namespace skald
