// Lists of samplers as texts: names and letters of llama.cpp.
#include <algorithm>
#include <array>

#include "base/error.h"
#include "skald/sampling_params.h"

namespace skald {
namespace {

struct OtherName {
  std::string_view other, name;
};
constexpr std::array kOtherNames = {OtherName{"temp", "temperature"}, OtherName{"nucleus", "top_p"},
                                    OtherName{"typical", "typ_p"},    OtherName{"typical_p", "typ_p"},
                                    OtherName{"typ", "typ_p"},        OtherName{"top_nsigma", "top_n_sigma"}};

struct Letter {
  char letter;
  std::string_view name;
};
constexpr std::array kLetters = {Letter{'e', "penalties"}, Letter{'d', "dry"},   Letter{'s', "top_n_sigma"},
                                 Letter{'k', "top_k"},     Letter{'y', "typ_p"}, Letter{'p', "top_p"},
                                 Letter{'m', "min_p"},     Letter{'x', "xtc"},   Letter{'t', "temperature"},
                                 Letter{'a', "adaptive_p"}};

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
    const auto* const other = std::ranges::find(kOtherNames, name, &OtherName::other);
    out.push_back(other == kOtherNames.end() ? name : std::string(other->name));
    at = end + 1;
  }
  return out;
}

std::vector<std::string> SamplingParams::parse_sampler_letters(std::string_view letters) {
  std::vector<std::string> out;
  for (const char letter : letters) {
    const auto* const found = std::ranges::find(kLetters, letter, &Letter::letter);
    if (found == kLetters.end())
      fail(Errc::kBadInput, "sampling.samplers: there is no sampler of the letter '{}'; want any of edskypmxta", letter);
    out.emplace_back(found->name);
  }
  return out;
}

}  // namespace skald
