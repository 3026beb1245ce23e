#include "serve/fields/sampling.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "serve/api_error.h"

namespace skald::serve {
namespace {

constexpr double kLargest = 1e6;  // of what has no upper end by itself
constexpr int64_t kMostInt = std::numeric_limits<int32_t>::max();
constexpr size_t kMostBiases = 1024, kMostBreakers = 64, kLongestBreaker = 256;
constexpr double kForces = 100;

struct NumberRow {
  std::string_view key;
  float SamplingParams::*field;
  Range range;
};
constexpr NumberRow kNumbers[] = {
    {"temperature", &SamplingParams::temperature, {0, 100}},
    {"top_p", &SamplingParams::top_p, {0, 1, true}},
    {"min_p", &SamplingParams::min_p, {0, 1}},
    {"typical_p", &SamplingParams::typical_p, {0, 1, true}},
    {"presence_penalty", &SamplingParams::presence_penalty, {-2, 2}},
    {"frequency_penalty", &SamplingParams::frequency_penalty, {-2, 2}},
    {"repeat_penalty", &SamplingParams::repeat_penalty, {0, 100, true}},
    {"dynatemp_range", &SamplingParams::dynatemp_range, {0, 100}},
    {"dynatemp_exponent", &SamplingParams::dynatemp_exponent, {0, 100}},
    {"top_n_sigma", &SamplingParams::top_n_sigma, {-1, kLargest}},
    {"xtc_probability", &SamplingParams::xtc_probability, {0, 1}},
    {"xtc_threshold", &SamplingParams::xtc_threshold, {0, 1}},
    {"dry_multiplier", &SamplingParams::dry_multiplier, {0, kLargest}},
    {"dry_base", &SamplingParams::dry_base, {0, kLargest}},
    {"mirostat_tau", &SamplingParams::mirostat_ent, {0, kLargest}},
    {"mirostat_eta", &SamplingParams::mirostat_lr, {0, kLargest}},
    {"adaptive_target", &SamplingParams::adaptive_target, {-1, 1}},
    {"adaptive_decay", &SamplingParams::adaptive_decay, {0, 0.99}},
};

struct CountRow {
  std::string_view key;
  int SamplingParams::*field;
  int64_t least, most;
};
constexpr CountRow kCounts[] = {
    {"top_k", &SamplingParams::top_k, 0, kMostInt},
    {"min_keep", &SamplingParams::min_keep, 0, kMostInt},
    {"repeat_last_n", &SamplingParams::repeat_last_n, -1, kMostInt},
    {"dry_allowed_length", &SamplingParams::dry_allowed_length, 0, kMostInt},
    {"dry_penalty_last_n", &SamplingParams::dry_penalty_last_n, -1, kMostInt},
    {"mirostat", &SamplingParams::mirostat, 0, 2},
};

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
  for (const NumberRow& row : kNumbers)
    if (const auto value = fields.number(row.key, row.range)) params.*row.field = static_cast<float>(*value);
  for (const CountRow& row : kCounts)
    if (const auto value = fields.integer(row.key, row.least, row.most)) params.*row.field = static_cast<int>(*value);
  if (const auto seed = fields.seed("seed")) params.seed = *seed;
  if (const Json* bias = fields.find("logit_bias")) params.logit_bias = biases_of(*bias, fields.path("logit_bias"), n_vocab);
  if (const Json* samplers = fields.find("samplers")) params.samplers = samplers_of(fields, *samplers);
  const bool breakers = fields.find("dry_sequence_breakers") != nullptr;
  const std::vector<std::string> texts = texts_of(fields, "dry_sequence_breakers", kMostBreakers, kLongestBreaker);
  check(params, fields);
  return breakers ? texts : std::vector<std::string>{"\n", ":", "\"", "*"};
}

}  // namespace skald::serve
