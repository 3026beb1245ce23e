// Lists of samplers as texts: names and letters of llama.cpp.
#include <algorithm>
#include <utility>

#include "base/error.h"
#include "sampling/filter.h"
#include "skald/sampling_params.h"

namespace skald {
namespace {

bool has_word(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const size_t end = std::min(words.find(','), words.size());
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

const FilterDef* find_filter(char letter) {
  for (const FilterDef* filter : sampling_filters())
    if (letter && filter->letter == letter) return filter;
  return nullptr;
}

// The default's in its order, then the others.
std::string all_letters() {
  std::string out;
  for (const std::string& name : SamplingParams::default_samplers())
    for (const FilterDef* filter : sampling_filters())
      if (filter->name == name) out += filter->letter;
  for (const FilterDef* filter : sampling_filters())
    if (filter->letter && out.find(filter->letter) == std::string::npos) out += filter->letter;
  return out;
}

std::string usual_name(std::string name) {
  for (const FilterDef* filter : sampling_filters())
    if (has_word(filter->other_names, name)) return std::string(filter->name);
  return name;
}

std::string trimmed(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return std::string(text);
}

}  // namespace

std::vector<std::string> SamplingParams::parse_samplers(std::string_view list) {
  std::vector<std::string> out;
  if (trimmed(list).empty()) return out;
  for (size_t at = 0; at <= list.size();) {
    const size_t end = std::min(list.find_first_of(",;", at), list.size());
    std::string name = trimmed(list.substr(at, end - at));
    std::ranges::replace(name, '-', '_');
    out.push_back(usual_name(std::move(name)));
    at = end + 1;
  }
  return out;
}

std::vector<std::string> SamplingParams::parse_sampler_letters(std::string_view letters) {
  std::vector<std::string> out;
  for (const char letter : letters) {
    const FilterDef* const found = find_filter(letter);
    if (!found)
      fail(Errc::kBadInput, "sampling.samplers: there is no sampler of the letter '{}'; want any of {}", letter,
           all_letters());
    out.emplace_back(found->name);
  }
  return out;
}

}  // namespace skald
