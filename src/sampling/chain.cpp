#include "sampling/chain.h"

#include <algorithm>

#include "base/error.h"

namespace skald {
namespace {

using Place = FilterDef::Place;

bool is_named(const FilterDef& def) { return def.place == Place::kChain || def.place == Place::kAfterChain; }

const FilterDef& find_filter(std::string_view name) {
  for (const FilterDef* def : sampling_filters())
    if (def->name == name) return *def;
  fail(Errc::kInternal, "there is no filter {}", name);
}

const FilterDef& find_sampler(const std::string& name) {
  std::string names;
  for (const FilterDef* def : sampling_filters()) {
    if (!is_named(*def)) continue;
    if (def->name == name) return *def;
    names.append(names.empty() ? "" : ", ").append(def->name);
  }
  fail(Errc::kBadInput, "sampling.samplers: there is no sampler '{}'; want any of {}", name, names);
}

}  // namespace

std::vector<const FilterDef*> chain_of(const SamplingParams& params) {
  std::vector<const FilterDef*> out, last;
  for (const FilterDef* def : sampling_filters())
    if (def->place == Place::kBeforeChain) out.push_back(def);
  for (const std::string& name : params.samplers) {
    const FilterDef& def = find_sampler(name);
    if (params.mirostat) continue;
    if (def.place == Place::kChain)
      out.push_back(&def);
    else if (std::ranges::find(last, &def) == last.end())
      last.push_back(&def);
  }
  if (params.mirostat) {
    out.push_back(&find_filter("temperature"));
    for (const FilterDef* def : sampling_filters())
      if (def->place == Place::kInstead) out.push_back(def);
  }
  out.insert(out.end(), last.begin(), last.end());
  return out;
}

}  // namespace skald
