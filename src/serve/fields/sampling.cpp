#include "serve/fields/sampling.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "sampling/number_table.h"
#include "serve/api_error.h"

namespace skald::serve {
namespace {

constexpr size_t kMostBiases = 1024, kMostBreakers = 64, kLongestBreaker = 256;
constexpr double kForces = 100;

void read_number(const Fields& fields, const SamplingNumber& number, SamplingParams& params) {
  const std::string_view key = number.key();
  const Range& range = number.asked_range();
  if (std::holds_alternative<float SamplingParams::*>(number.field)) {
    if (const auto value = fields.number(key, range)) number.set(params, *value);
  } else if (const auto count = fields.integer(key, static_cast<int64_t>(range.least), static_cast<int64_t>(range.most))) {
    number.set(params, static_cast<double>(*count));
  }
}

std::optional<TokenId> token_id(const Json& json, int64_t n_vocab) {
  const std::optional<int64_t> id = whole_number(json, 0, n_vocab - 1);
  return id ? std::optional(static_cast<TokenId>(*id)) : std::nullopt;
}

std::optional<TokenId> token_id(const std::string& text, int64_t n_vocab) {
  int64_t id = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc{} || end != text.data() + text.size() || id < 0 || id >= n_vocab) return {};
  return static_cast<TokenId>(id);
}

class Biases {
 public:
  Biases(std::string path, int64_t n_vocab) : path_(std::move(path)), n_vocab_(n_vocab) {}

  void add(std::optional<TokenId> id, const Json& bias) {
    if (!id) refuse_field(path_, fmt::format("token ids from 0 to {}", n_vocab_ - 1));
    if (bias.is_boolean() && !bias.get<bool>()) return put(*id, -kForces);
    if (!bias.is_number() || std::abs(bias.get<double>()) > kForces)
      refuse_field(path_, "biases from -100 to 100, or false");
    put(*id, bias.get<double>());
  }
  std::vector<LogitBias> take() { return std::move(out_); }

 private:
  // 100 forces the token: whatever its logit, no other one comes near.
  void put(TokenId id, double bias) {
    constexpr float kAboveAll = 1e9f;
    const float value = bias <= -kForces  ? -std::numeric_limits<float>::infinity()
                        : bias >= kForces ? kAboveAll
                                          : static_cast<float>(bias);
    out_.push_back({id, value});
  }

  std::string path_;
  int64_t n_vocab_;
  std::vector<LogitBias> out_;
};

std::vector<LogitBias> biases_of(const Json& json, const std::string& path, int64_t n_vocab) {
  Biases out(path, n_vocab);
  if (!json.is_object() && !json.is_array()) refuse_field(path, "an object of ids and biases, or a list of pairs");
  if (json.size() > kMostBiases) refuse_field(path, fmt::format("at most {} tokens", kMostBiases));
  if (json.is_object()) {
    for (const auto& [key, bias] : json.items()) out.add(token_id(key, n_vocab), bias);
    return out.take();
  }
  for (const Json& pair : json) {
    if (!pair.is_array() || pair.size() != 2) refuse_field(path, "pairs of a token id and a bias");
    out.add(token_id(pair[0], n_vocab), pair[1]);
  }
  return out.take();
}

std::vector<std::string> texts_of(const Fields& fields, std::string_view key, size_t most, size_t longest) {
  std::vector<std::string> out;
  const Json* list = fields.list(key);
  if (!list) return out;
  if (list->size() > most) refuse_field(fields.path(key), fmt::format("at most {} strings", most));
  for (const Json& item : *list) {
    if (!item.is_string() || item.get_ref<const std::string&>().size() > longest)
      refuse_field(fields.path(key), fmt::format("strings of at most {} bytes", longest));
    out.push_back(item.get<std::string>());
  }
  return out;
}

std::vector<std::string> samplers_of(const Fields& fields, const Json& json) {
  constexpr size_t kLongest = 64;
  try {
    if (json.is_string()) return SamplingParams::parse_sampler_letters(json.get<std::string>());
  } catch (const Error&) {
    refuse_field(fields.path("samplers"), "samplers' letters or names");
  }
  std::vector<std::string> out;
  for (const std::string& name : texts_of(fields, "samplers", kLongest, kLongest))
    for (std::string& sampler : SamplingParams::parse_samplers(name)) out.push_back(std::move(sampler));
  return out;
}

void check(const SamplingParams& params, const Fields& fields) {
  try {
    params.check();
  } catch (const Error& e) {
    const bool samplers = std::string_view(e.what()).find("samplers") != std::string_view::npos;
    throw ApiError(400, e.what(), samplers ? fields.path("samplers") : "");
  }
}

}  // namespace

std::vector<std::string> read_sampling(const Fields& fields, int64_t n_vocab, SamplingParams& params) {
  for (const SamplingNumber& number : sampling_numbers()) read_number(fields, number, params);
  if (const auto seed = fields.seed("seed")) params.seed = *seed;
  if (const Json* bias = fields.find("logit_bias")) params.logit_bias = biases_of(*bias, fields.path("logit_bias"), n_vocab);
  if (const Json* samplers = fields.find("samplers")) params.samplers = samplers_of(fields, *samplers);
  const bool breakers = fields.find("dry_sequence_breakers") != nullptr;
  const std::vector<std::string> texts = texts_of(fields, "dry_sequence_breakers", kMostBreakers, kLongestBreaker);
  check(params, fields);
  return breakers ? texts : std::vector<std::string>{"\n", ":", "\"", "*"};
}

void sampling_not_followed(const Fields& fields) {
  const auto tell = [&](std::string_view key) {
    if (fields.find(key)) fields.not_followed(key);
  };
  for (const SamplingNumber& number : sampling_numbers()) tell(number.key());
  for (const std::string_view key : {"seed", "logit_bias", "samplers", "dry_sequence_breakers"}) tell(key);
}

}  // namespace skald::serve
