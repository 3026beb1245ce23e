#include "cli/sampling_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <variant>

#include "base/log.h"
#include "cli/common_flags.h"
#include "cli/escapes.h"
#include "loading/loaded_model.h"

namespace skald {
namespace {

struct Row {
  const char* names;
  std::variant<float SamplingParams::*, int SamplingParams::*> field;
  const char* help;
};

constexpr Row kRows[] = {
    {"--temperature,--temp", &SamplingParams::temperature, "temperature; 0: always the most likely token"},
    {"--dynatemp-range", &SamplingParams::dynatemp_range,
     "the temperature follows the entropy, from --temp less this to --temp and this; 0: off"},
    {"--dynatemp-exp", &SamplingParams::dynatemp_exponent, "exponent of the entropy for --dynatemp-range"},
    {"--top-k", &SamplingParams::top_k, "keep the N most likely tokens; 0: all"},
    {"--top-p", &SamplingParams::top_p, "keep the most likely tokens up to this total probability; 1: all"},
    {"--min-p", &SamplingParams::min_p, "drop tokens less likely than this share of the most likely one; 0: none"},
    {"--typical,--typical-p", &SamplingParams::typical_p,
     "keep the tokens of most typical surprise up to this total probability; 1: all"},
    {"--top-nsigma,--top-n-sigma", &SamplingParams::top_n_sigma,
     "keep logits within this many standard deviations of the best; 0 or less: all"},
    {"--xtc-probability", &SamplingParams::xtc_probability,
     "chance that all but the last of the tokens above --xtc-threshold are dropped; 0: never"},
    {"--xtc-threshold", &SamplingParams::xtc_threshold, "probability for --xtc-probability; above 0.5: off"},
    {"--repeat-penalty", &SamplingParams::repeat_penalty, "divide the logits of recent tokens by this; 1: off"},
    {"--repeat-last-n", &SamplingParams::repeat_last_n, "how many recent tokens the penalties look at; -1: all, 0: none"},
    {"--presence-penalty", &SamplingParams::presence_penalty, "subtract from the logits of recent tokens; 0: off"},
    {"--frequency-penalty", &SamplingParams::frequency_penalty, "subtract once per recent occurrence; 0: off"},
    {"--dry-multiplier", &SamplingParams::dry_multiplier,
     "strength of the penalty on tokens that would go on with a repetition (DRY); 0: off"},
    {"--dry-base", &SamplingParams::dry_base, "what each token more of a repetition multiplies that penalty by"},
    {"--dry-allowed-length", &SamplingParams::dry_allowed_length, "repetitions shorter than this are free"},
    {"--dry-penalty-last-n", &SamplingParams::dry_penalty_last_n, "how many recent tokens DRY looks at; -1: all, 0: none"},
    {"--mirostat", &SamplingParams::mirostat, "1 or 2: mirostat with --temp in place of the samplers; 0: off"},
    {"--mirostat-lr", &SamplingParams::mirostat_lr, "how fast mirostat follows (eta)"},
    {"--mirostat-ent", &SamplingParams::mirostat_ent, "surprise per token, in bits, that mirostat aims at (tau)"},
    {"--adaptive-target", &SamplingParams::adaptive_target,
     "probability that adaptive_p of --samplers aims at; negative: off"},
    {"--adaptive-decay", &SamplingParams::adaptive_decay, "how long adaptive_p remembers: 0 to 0.99"},
};

const std::string kDefaultBreakers[] = {"\n", ":", "\"", "*"};  // llama.cpp's

std::string first_name(const char* names) {
  const std::string_view all = names;
  return std::string(all.substr(0, all.find(',')));
}

// "15043+1.5", "2-inf".
LogitBias parse_bias(const std::string& text) {
  LogitBias out{};
  const char* const end = text.data() + text.size();
  const auto [sign, wrong] = std::from_chars(text.data(), end, out.id);
  const bool signs = wrong == std::errc{} && sign != end && (*sign == '+' || *sign == '-');
  if (signs) {
    const auto [stop, error] = std::from_chars(sign + (*sign == '+'), end, out.bias);
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

void SamplingFlags::declare(Flags& flags) {
  declared_.emplace(flags);
  flags.group("Sampling");
  flags.add("-s,--seed", seed_, "seed of the random choices; -1: a random one");
  flags.add("--samplers", samplers_, "the chain of samplers in its order, each as often as wanted; adaptive_p acts last",
            "TEXT");
  flags.add("--sampler-seq,--sampling-seq", letters_, "the same by letters: edskypmxt is the default, a is adaptive_p",
            "LETTERS");
  for (const Row& row : kRows) std::visit([&](auto field) { flags.add(row.names, params_.*field, row.help); }, row.field);
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
  for (const Row& row : kRows)
    if (declared_->given(first_name(row.names).c_str()))
      std::visit([&](auto field) { out.*field = params_.*field; }, row.field);
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
