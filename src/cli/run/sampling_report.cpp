#include "cli/run/sampling_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "loading/loaded_model.h"
#include "loading/sampling_defaults.h"
#include "sampling/number_table.h"

namespace skald {
namespace {

// A value, the flag that sets it, and whether the model's file has it.
struct Item {
  std::string text, flag;
  bool in_file = false;
};

std::vector<Item> items_of(const SamplingParams& p, const SamplingDefaults& file) {
  std::vector<Item> out;
  for (const SamplingNumber& number : sampling_numbers())
    if (number.flags && number.counts(p)) {
      const DeclaredFlag flag = flag_named(number.flags);
      out.push_back({fmt::format("{} {}", flag.shortest_name().substr(2), number.text(p)), flag.long_name(),
                     std::ranges::find(file.fields, number.field) != file.fields.end()});
    }
  if (!p.logit_bias.empty())
    out.push_back({fmt::format("logit-bias of {} {}", p.logit_bias.size(), p.logit_bias.size() == 1 ? "token" : "tokens"),
                   "--logit-bias"});
  if (!p.mirostat) out.push_back({fmt::format("samplers {}", fmt::join(p.samplers, ";")), "--samplers", file.samplers});
  if (p.seed != SamplingParams::kRandomSeed) out.push_back({fmt::format("seed {}", p.seed), "--seed"});
  return out;
}

}  // namespace

std::string described_sampling(const SamplingParams& params) {
  std::string out;
  for (const Item& item : items_of(params, {}))
    if (item.flag != "--samplers" || params.samplers != SamplingParams::default_samplers())
      out += (out.empty() ? "" : ", ") + item.text;
  return out;
}

std::string sampling_sources(const SamplingFlags& flags, const Model& model, const SamplingParams& params) {
  std::string out;
  for (const Item& item : items_of(params, read_sampling_defaults(model.loaded()->meta()))) {
    const std::string from = flags.given(item.flag) ? item.flag : item.in_file ? "the model's file" : "default";
    out += fmt::format("  {} ({})\n", item.text, from);
  }
  return out;
}

}  // namespace skald
