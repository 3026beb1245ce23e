#include "sampling/number_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/want.h"

namespace skald {
namespace {

using P = SamplingParams;
using C = skald_sampling;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kMostInt = std::numeric_limits<int32_t>::max();
constexpr double kLargest = 1e6;  // in requests, of what has no upper end by itself
constexpr Range kShare{0, 1}, kFrom0{0, kInf}, kAny{-kInf, kInf}, kCount{0, kMostInt}, kLastTokens{-1, kMostInt};

bool penalises(const P& p) { return p.repeat_penalty != 1 || p.presence_penalty != 0 || p.frequency_penalty != 0; }
bool always(const P&) { return true; }
bool has_dynatemp(const P& p) { return p.dynatemp_range > 0; }
bool has_xtc(const P& p) { return p.xtc_probability > 0; }
bool has_dry(const P& p) { return p.dry_multiplier > 0; }
bool has_mirostat(const P& p) { return p.mirostat != 0; }
bool has_adaptive(const P& p) { return p.adaptive_target >= 0; }

constexpr SamplingNumber kNumbers[] = {
    {.name = "temperature",
     .field = &P::temperature,
     .member = &C::temperature,
     .range = kFrom0,
     .asked = {{0, 100}},
     .meta = "temp",
     .flags = "--temperature,--temp",
     .help = "temperature; 0: always the most likely token",
     .variable = "LLAMA_ARG_TEMPERATURE",
     .sampler = "temperature",
     .trial = 0.8F,
     .acts = always},
    {.name = "dynatemp_range",
     .field = &P::dynatemp_range,
     .member = &C::dynatemp_range,
     .range = kFrom0,
     .asked = {{0, 100}},
     .flags = "--dynatemp-range",
     .help = "the temperature follows the entropy, from --temp less this to --temp and this; 0: off",
     .sampler = "temperature",
     .acts = has_dynatemp},
    {.name = "dynatemp_exponent",
     .field = &P::dynatemp_exponent,
     .member = &C::dynatemp_exponent,
     .range = kFrom0,
     .asked = {{0, 100}},
     .flags = "--dynatemp-exp",
     .help = "exponent of the entropy for --dynatemp-range",
     .sampler = "temperature",
     .acts = has_dynatemp},
    {.name = "top_k",
     .field = &P::top_k,
     .member = &C::top_k,
     .range = kCount,
     .words = "0 (all) or more",
     .meta = "top_k",
     .flags = "--top-k",
     .help = "keep the N most likely tokens; 0: all",
     .variable = "LLAMA_ARG_TOP_K",
     .sampler = "top_k",
     .trial = 40,
     .acts = [](const P& p) { return p.top_k > 0; }},
    {.name = "top_p",
     .field = &P::top_p,
     .member = &C::top_p,
     .range = kShare,
     .asked = {{0, 1, true}},
     .meta = "top_p",
     .flags = "--top-p",
     .help = "keep the most likely tokens up to this total probability; 1: all",
     .variable = "LLAMA_ARG_TOP_P",
     .sampler = "top_p",
     .trial = 0.95F,
     .acts = [](const P& p) { return p.top_p < 1; }},
    {.name = "min_p",
     .field = &P::min_p,
     .member = &C::min_p,
     .range = kShare,
     .meta = "min_p",
     .flags = "--min-p",
     .help = "drop tokens less likely than this share of the most likely one; 0: none",
     .variable = "LLAMA_ARG_MIN_P",
     .sampler = "min_p",
     .trial = 0.05F,
     .acts = [](const P& p) { return p.min_p > 0; }},
    // llama.cpp has no key of models' files for it.
    {.name = "typical_p",
     .field = &P::typical_p,
     .member = &C::typical_p,
     .range = kShare,
     .asked = {{0, 1, true}},
     .meta = "typical_p",
     .flags = "--typical,--typical-p",
     .help = "keep the tokens of most typical surprise up to this total probability; 1: all",
     .sampler = "typ_p",
     .trial = 0.9F,
     .acts = [](const P& p) { return p.typical_p < 1; }},
    {.name = "top_n_sigma",
     .field = &P::top_n_sigma,
     .member = &C::top_n_sigma,
     .range = kAny,
     .words = "a number; 0 or less switches it off",
     .asked = {{-1, kLargest}},
     .flags = "--top-nsigma,--top-n-sigma",
     .help = "keep logits within this many standard deviations of the best; 0 or less: all",
     .sampler = "top_n_sigma",
     .trial = 2,
     .acts = [](const P& p) { return p.top_n_sigma > 0; }},
    {.name = "xtc_probability",
     .field = &P::xtc_probability,
     .member = &C::xtc_probability,
     .range = kShare,
     .meta = "xtc_probability",
     .flags = "--xtc-probability",
     .help = "chance that all but the last of the tokens above --xtc-threshold are dropped; 0: never",
     .sampler = "xtc",
     .trial = 1,
     .acts = has_xtc},
    {.name = "xtc_threshold",
     .field = &P::xtc_threshold,
     .member = &C::xtc_threshold,
     .range = kShare,
     .words = "a number from 0 to 1; above 0.5 switches it off",
     .meta = "xtc_threshold",
     .flags = "--xtc-threshold",
     .help = "probability for --xtc-probability; above 0.5: off",
     .sampler = "xtc",
     .acts = has_xtc},
    // Flags of llama.cpp have none for it.
    {.name = "min_keep",
     .field = &P::min_keep,
     .member = &C::min_keep,
     .range = kCount,
     .words = "0 (one token) or more",
     .acts = [](const P& p) { return p.min_keep > 1; }},
    {.name = "repeat_penalty",
     .field = &P::repeat_penalty,
     .member = &C::repeat_penalty,
     .range = {0, kInf, true},
     .asked = {{0, 100, true}},
     .meta = "penalty_repeat",
     .flags = "--repeat-penalty",
     .help = "divide the logits of recent tokens by this; 1: off",
     .variable = "LLAMA_ARG_REPEAT_PENALTY",
     .sampler = "penalties",
     .trial = 1.1F,
     .acts = [](const P& p) { return p.repeat_penalty != 1; }},
    {.name = "repeat_last_n",
     .field = &P::repeat_last_n,
     .member = &C::repeat_last_n,
     .range = kLastTokens,
     .words = "-1 (all), 0 (none) or more",
     .meta = "penalty_last_n",
     .flags = "--repeat-last-n",
     .help = "how many recent tokens the penalties look at; -1: all, 0: none",
     .sampler = "penalties",
     .acts = penalises},
    {.name = "presence_penalty",
     .field = &P::presence_penalty,
     .member = &C::presence_penalty,
     .range = kAny,
     .words = "a finite number",
     .asked = {{-2, 2}},
     .flags = "--presence-penalty",
     .help = "subtract from the logits of recent tokens; 0: off",
     .variable = "LLAMA_ARG_PRESENCE_PENALTY",
     .sampler = "penalties",
     .acts = [](const P& p) { return p.presence_penalty != 0; }},
    {.name = "frequency_penalty",
     .field = &P::frequency_penalty,
     .member = &C::frequency_penalty,
     .range = kAny,
     .words = "a finite number",
     .asked = {{-2, 2}},
     .flags = "--frequency-penalty",
     .help = "subtract once per recent occurrence; 0: off",
     .variable = "LLAMA_ARG_FREQUENCY_PENALTY",
     .sampler = "penalties",
     .acts = [](const P& p) { return p.frequency_penalty != 0; }},
    {.name = "dry_multiplier",
     .field = &P::dry_multiplier,
     .member = &C::dry_multiplier,
     .range = kFrom0,
     .asked = {{0, kLargest}},
     .flags = "--dry-multiplier",
     .help = "strength of the penalty on tokens that would go on with a repetition (DRY); 0: off",
     .sampler = "dry",
     .trial = 0.8F,
     .acts = has_dry},
    {.name = "dry_base",
     .field = &P::dry_base,
     .member = &C::dry_base,
     .range = kFrom0,
     .words = "a number of at least 0; below 1 switches it off",
     .asked = {{0, kLargest}},
     .flags = "--dry-base",
     .help = "factor of that penalty for each further token of a repetition",
     .sampler = "dry",
     .acts = has_dry},
    {.name = "dry_allowed_length",
     .field = &P::dry_allowed_length,
     .member = &C::dry_allowed_length,
     .range = kCount,
     .words = "0 or more",
     .flags = "--dry-allowed-length",
     .help = "repetitions shorter than this are free",
     .sampler = "dry",
     .acts = has_dry},
    {.name = "dry_penalty_last_n",
     .field = &P::dry_penalty_last_n,
     .member = &C::dry_penalty_last_n,
     .range = kLastTokens,
     .words = "-1 (all), 0 (none) or more",
     .flags = "--dry-penalty-last-n",
     .help = "how many recent tokens DRY looks at; -1: all, 0: none",
     .sampler = "dry",
     .acts = has_dry},
    {.name = "mirostat",
     .field = &P::mirostat,
     .member = &C::mirostat,
     .range = {0, 2},
     .words = "0 (off), 1 or 2",
     .meta = "mirostat",
     .flags = "--mirostat",
     .help = "1 or 2: mirostat with --temp in place of the samplers; 0: off",
     .acts = has_mirostat},
    {.name = "mirostat_lr",
     .field = &P::mirostat_lr,
     .member = &C::mirostat_lr,
     .range = kFrom0,
     .asked = {{0, kLargest}},
     .json = "mirostat_eta",
     .meta = "mirostat_eta",
     .flags = "--mirostat-lr",
     .help = "how fast mirostat follows (eta)",
     .acts = has_mirostat},
    {.name = "mirostat_ent",
     .field = &P::mirostat_ent,
     .member = &C::mirostat_ent,
     .range = kFrom0,
     .asked = {{0, kLargest}},
     .json = "mirostat_tau",
     .meta = "mirostat_tau",
     .flags = "--mirostat-ent",
     .help = "surprise per token, in bits, that mirostat aims at (tau)",
     .acts = has_mirostat},
    {.name = "adaptive_target",
     .field = &P::adaptive_target,
     .member = &C::adaptive_target,
     .range = {-kInf, 1},
     .words = "a number from 0 to 1, or a negative one to switch it off",
     .asked = {{-1, 1}},
     .flags = "--adaptive-target",
     .help = "probability that adaptive_p of --samplers aims at; negative: off",
     .sampler = "adaptive_p",
     .trial = 0.3F,
     .acts = has_adaptive},
    {.name = "adaptive_decay",
     .field = &P::adaptive_decay,
     .member = &C::adaptive_decay,
     .range = kShare,
     .words = "a number from 0 to 1, of which 0.99 is the most that counts",
     .asked = {{0, 0.99}},
     .flags = "--adaptive-decay",
     .help = "how long adaptive_p remembers: 0 to 0.99",
     .sampler = "adaptive_p",
     .acts = has_adaptive},
};

static_assert(std::ranges::all_of(kNumbers, [](const SamplingNumber& n) { return n.field.index() == n.member.index(); }));

// Mirostat has nothing of the chain but the temperature.
bool uses(const P& p, std::string_view sampler) {
  return p.mirostat ? sampler == "temperature" : std::ranges::find(p.samplers, sampler) != p.samplers.end();
}

}  // namespace

std::span<const SamplingNumber> sampling_numbers() { return kNumbers; }

std::string SamplingNumber::path() const { return fmt::format("sampling.{}", name); }

bool SamplingNumber::counts(const SamplingParams& params) const {
  return acts(params) && (sampler.empty() || uses(params, sampler));
}

double SamplingNumber::value(const SamplingParams& params) const {
  return std::visit([&](auto f) { return static_cast<double>(params.*f); }, field);
}

void SamplingNumber::set(SamplingParams& params, double value) const {
  std::visit([&](auto f) { params.*f = static_cast<std::remove_reference_t<decltype(params.*f)>>(value); }, field);
}

std::string SamplingNumber::text(const SamplingParams& params) const {
  return std::visit([&](auto f) { return fmt::to_string(params.*f); }, field);
}

void SamplingNumber::check(const SamplingParams& params) const {
  if (!range.has(value(params))) want(false, path(), words ? words : range.words("a number"));
}

}  // namespace skald
