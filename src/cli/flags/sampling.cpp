#include "cli/flags/sampling.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/log.h"
#include "base/number_from_chars.h"
#include "cli/flags/common.h"
#include "cli/flags/escapes.h"
#include "loading/loaded_model.h"
#include "sampling/number_table.h"

namespace skald {
namespace {

const std::string kDefaultBreakers[] = {"\n", ":", "\"", "*"};  // llama.cpp's

// "15043+1.5", "2-inf".
LogitBias parse_bias(const std::string& text) {
  LogitBias out{};
  const char* const end = text.data() + text.size();
  const auto [sign, wrong] = std::from_chars(text.data(), end, out.id);
  const bool signs = wrong == std::errc{} && sign != end && (*sign == '+' || *sign == '-');
  if (signs) {
    const auto [stop, error] = number_from_chars(sign + (*sign == '+'), end, out.bias);
    if (error == std::errc{} && stop == end && !std::isnan(out.bias)) return out;
  }
  throw UsageError(fmt::format("--logit-bias (-l): '{}': want ID+B or ID-B, where B is a number or inf", text));
}

std::vector<TokenId> parse_breaker(const std::string& text) {
  try {
    std::vector<TokenId> ids = parse_ids(text);
    if (!ids.empty()) return ids;
  } catch (const UsageError& e) {
    throw UsageError(std::string("--dry-breaker-ids: ") + e.what());
  }
  throw UsageError("--dry-breaker-ids: no token ids");
}

}  // namespace

SamplingFlags::SamplingFlags() : samplers_(fmt::format("{}", fmt::join(SamplingParams::default_samplers(), ";"))) {}

void SamplingFlags::declare(Flags& flags) {
  declared_.emplace(flags);
  flags.group("Sampling");
  flags.add("-s,--seed", seed_, "seed of the random choices; -1: a random one");
  flags.add("--samplers", samplers_, "the chain of samplers in its order, each as often as wanted; adaptive_p acts last",
            "TEXT");
  flags.add("--sampler-seq,--sampling-seq", letters_, "the same by letters: edskypmxt is the default, a is adaptive_p",
            "LETTERS");
  for (const SamplingNumber& number : sampling_numbers())
    if (number.flags) std::visit([&](auto field) { flags.add(number.flags, params_.*field, number.help); }, number.field);
  flags.add("--dry-sequence-breaker", breakers_,
            "DRY sees no repetition across this text; may be given several times, none: no breakers. "
            "Default: line feed, colon, quote and asterisk",
            "TEXT");
  flags.add("--dry-breaker-ids", breaker_ids_, "the same, as token ids; may be given several times", "ID,...");
  flags.add("-l,--logit-bias", logit_bias_,
            "add B to the logit of a token, or subtract it; inf as B: the token is never chosen. May be given several times",
            "ID+B|ID-B");
}

SamplingParams SamplingFlags::over(const SamplingParams& defaults) const {
  SamplingParams out = defaults;
  for (const SamplingNumber& number : sampling_numbers())
    if (number.flags && declared_->given(flag_named(number.flags).long_name().c_str()))
      number.set(out, number.value(params_));
  out.seed = seed_ < 0 ? SamplingParams::kRandomSeed : static_cast<uint64_t>(seed_);
  const bool letters = declared_->given("--sampler-seq");
  if (letters && declared_->given("--samplers")) throw UsageError("--samplers and --sampler-seq exclude each other");
  check_usage([&] {
    if (letters) out.samplers = SamplingParams::parse_sampler_letters(letters_);
    if (declared_->given("--samplers")) out.samplers = SamplingParams::parse_samplers(samplers_);
    for (const std::string& text : logit_bias_) out.logit_bias.push_back(parse_bias(text));
    for (const std::string& text : breaker_ids_) out.dry_breakers.push_back(parse_breaker(text));
    out.check();
  });
  return out;
}

bool SamplingFlags::given(const std::string& flag) const {
  return declared_->given(flag.c_str()) || (flag == "--samplers" && declared_->given("--sampler-seq"));
}

std::vector<std::string> SamplingFlags::given() const {
  std::vector<std::string> names = {"--seed", "--samplers", "--sampler-seq"};
  for (const SamplingNumber& number : sampling_numbers())
    if (number.flags) names.push_back(flag_named(number.flags).long_name());
  names.insert(names.end(), {"--dry-sequence-breaker", "--dry-breaker-ids", "--logit-bias"});
  std::erase_if(names, [this](const std::string& name) { return !declared_->given(name.c_str()); });
  return names;
}

std::vector<std::string> SamplingFlags::breaker_texts() const {
  std::vector<std::string> out;
  for (const std::string& text : breakers_)
    if (text != "none") out.push_back(unescaped(text));
  return out;
}

SamplingParams SamplingFlags::with(const SamplingParams& defaults, const Breakers& breakers) const {
  SamplingParams out = over(defaults);
  const std::vector<std::string> texts = breaker_texts();
  if (texts.empty()) return out;
  for (auto& sequence : check_usage([&] { return breakers(texts); })) out.dry_breakers.push_back(std::move(sequence));
  check_usage([&] { out.check(); });
  return out;
}

SamplingParams SamplingFlags::with(const Model& model) const {
  if (const std::string said = model.described_sampling_defaults(); !said.empty())
    log(LogLevel::kInfo, "sampling defaults of the model's file, before flags: {}", said);
  SamplingParams out =
      with(model.sampling_defaults(), [&](std::span<const std::string> texts) { return model.dry_breakers(texts); });
  if (out.dry_multiplier > 0 && breakers_.empty() && breaker_ids_.empty() && model.loaded()->find_tokenizer())
    out.dry_breakers = model.dry_breakers(kDefaultBreakers);
  check_usage([&] { out.check(model.n_vocab()); });
  return out;
}

}  // namespace skald
