#include "cli/flags/sampling_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace skald {
namespace {

using P = SamplingParams;

// Whether the sampler is in the chain; mirostat has nothing of it but the temperature.
bool uses(const P& p, std::string_view sampler) {
  return p.mirostat ? sampler == "temperature" : std::ranges::find(p.samplers, sampler) != p.samplers.end();
}

constexpr SamplingRow kRows[] = {
    {"--temperature,--temp", &P::temperature, "temperature; 0: always the most likely token", [](const P&) { return true; }},
    {"--dynatemp-range", &P::dynatemp_range,
     "the temperature follows the entropy, from --temp less this to --temp and this; 0: off",
     [](const P& p) { return p.dynatemp_range > 0 && uses(p, "temperature"); }},
    {"--dynatemp-exp", &P::dynatemp_exponent, "exponent of the entropy for --dynatemp-range",
     [](const P& p) { return p.dynatemp_range > 0 && uses(p, "temperature"); }},
    {"--top-k", &P::top_k, "keep the N most likely tokens; 0: all",
     [](const P& p) { return p.top_k > 0 && uses(p, "top_k"); }},
    {"--top-p", &P::top_p, "keep the most likely tokens up to this total probability; 1: all",
     [](const P& p) { return p.top_p < 1 && uses(p, "top_p"); }},
    {"--min-p", &P::min_p, "drop tokens less likely than this share of the most likely one; 0: none",
     [](const P& p) { return p.min_p > 0 && uses(p, "min_p"); }},
    {"--typical,--typical-p", &P::typical_p, "keep the tokens of most typical surprise up to this total probability; 1: all",
     [](const P& p) { return p.typical_p < 1 && uses(p, "typ_p"); }},
    {"--top-nsigma,--top-n-sigma", &P::top_n_sigma,
     "keep logits within this many standard deviations of the best; 0 or less: all",
     [](const P& p) { return p.top_n_sigma > 0 && uses(p, "top_n_sigma"); }},
    {"--xtc-probability", &P::xtc_probability,
     "chance that all but the last of the tokens above --xtc-threshold are dropped; 0: never",
     [](const P& p) { return p.xtc_probability > 0 && uses(p, "xtc"); }},
    {"--xtc-threshold", &P::xtc_threshold, "probability for --xtc-probability; above 0.5: off",
     [](const P& p) { return p.xtc_probability > 0 && uses(p, "xtc"); }},
    {"--repeat-penalty", &P::repeat_penalty, "divide the logits of recent tokens by this; 1: off",
     [](const P& p) { return p.repeat_penalty != 1 && uses(p, "penalties"); }},
    {"--repeat-last-n", &P::repeat_last_n, "how many recent tokens the penalties look at; -1: all, 0: none",
     [](const P& p) {
       return (p.repeat_penalty != 1 || p.presence_penalty != 0 || p.frequency_penalty != 0) && uses(p, "penalties");
     }},
    {"--presence-penalty", &P::presence_penalty, "subtract from the logits of recent tokens; 0: off",
     [](const P& p) { return p.presence_penalty != 0 && uses(p, "penalties"); }},
    {"--frequency-penalty", &P::frequency_penalty, "subtract once per recent occurrence; 0: off",
     [](const P& p) { return p.frequency_penalty != 0 && uses(p, "penalties"); }},
    {"--dry-multiplier", &P::dry_multiplier,
     "strength of the penalty on tokens that would go on with a repetition (DRY); 0: off",
     [](const P& p) { return p.dry_multiplier > 0 && uses(p, "dry"); }},
    {"--dry-base", &P::dry_base, "factor of that penalty for each further token of a repetition",
     [](const P& p) { return p.dry_multiplier > 0 && uses(p, "dry"); }},
    {"--dry-allowed-length", &P::dry_allowed_length, "repetitions shorter than this are free",
     [](const P& p) { return p.dry_multiplier > 0 && uses(p, "dry"); }},
    {"--dry-penalty-last-n", &P::dry_penalty_last_n, "how many recent tokens DRY looks at; -1: all, 0: none",
     [](const P& p) { return p.dry_multiplier > 0 && uses(p, "dry"); }},
    {"--mirostat", &P::mirostat, "1 or 2: mirostat with --temp in place of the samplers; 0: off",
     [](const P& p) { return p.mirostat != 0; }},
    {"--mirostat-lr", &P::mirostat_lr, "how fast mirostat follows (eta)", [](const P& p) { return p.mirostat != 0; }},
    {"--mirostat-ent", &P::mirostat_ent, "surprise per token, in bits, that mirostat aims at (tau)",
     [](const P& p) { return p.mirostat != 0; }},
    {"--adaptive-target", &P::adaptive_target, "probability that adaptive_p of --samplers aims at; negative: off",
     [](const P& p) { return p.adaptive_target >= 0 && uses(p, "adaptive_p"); }},
    {"--adaptive-decay", &P::adaptive_decay, "how long adaptive_p remembers: 0 to 0.99",
     [](const P& p) { return p.adaptive_target >= 0 && uses(p, "adaptive_p"); }},
};

}  // namespace

std::span<const SamplingRow> sampling_rows() { return kRows; }

std::string SamplingRow::first_name() const {
  const std::string_view all = names;
  return std::string(all.substr(0, all.find(',')));
}

std::string SamplingRow::short_name() const {
  std::string_view shortest, rest = names;
  while (!rest.empty()) {
    const std::string_view name = rest.substr(0, rest.find(','));
    if (shortest.empty() || name.size() < shortest.size()) shortest = name;
    rest.remove_prefix(std::min(name.size() + 1, rest.size()));
  }
  return std::string(shortest.substr(2));
}

std::string SamplingRow::value(const SamplingParams& params) const {
  return std::visit([&](auto f) { return fmt::to_string(params.*f); }, field);
}

}  // namespace skald
