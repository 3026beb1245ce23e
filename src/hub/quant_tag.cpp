#include "hub/quant_tag.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/lowercase.h"

namespace skald {
namespace {

constexpr std::array<std::string_view, 5> kFloats{"f16", "bf16", "f32", "fp16", "fp32"};
constexpr std::array<std::string_view, 4> kOthers{"mxfp4", "mxfp4_moe", "nvfp4", "i2_s"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// q4_k_m, iq4_xs, tq1_0, q8_0
bool is_quant(std::string_view word) {
  for (const std::string_view prefix : {"iq", "tq", "q"})
    if (word.starts_with(prefix)) {
      const std::string_view rest = word.substr(prefix.size());
      const auto in_type = [](char c) { return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z'); };
      return !rest.empty() && is_digit(rest[0]) && (rest.size() == 1 || rest[1] == '_') &&
             std::ranges::all_of(rest, in_type);
    }
  return false;
}

bool is_type(std::string_view word) {
  return is_quant(word) || std::ranges::find(kFloats, word) != kFloats.end() ||
         std::ranges::find(kOthers, word) != kOthers.end();
}

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  return out;
}

// A type, or one after an underscore: "tinyllama_q4_k_m".
std::string_view type_in(std::string_view word) {
  for (size_t at = 0; at < word.size();) {
    if (is_type(word.substr(at))) return word.substr(at);
    const size_t next = word.find('_', at);
    if (next == std::string_view::npos) break;
    at = next + 1;
  }
  return {};
}

std::string tag_of_name(std::string_view name) {
  std::vector<std::string_view> words;
  for (size_t at = 0; at <= name.size();) {
    const size_t end = std::min(name.find_first_of("-.", at), name.size());
    words.push_back(name.substr(at, end - at));
    at = end + 1;
  }
  for (size_t i = words.size(); i-- > 0;)
    if (const std::string_view type = type_in(words[i]); !type.empty()) {
      const bool dynamic = i > 0 && words[i - 1] == "ud" && type == words[i];
      return (dynamic ? "UD-" : "") + upper(type);
    }
  return "";
}

}  // namespace

std::string quant_tag(std::string_view path) {
  const std::string lower = lowercase(path);
  std::string_view rest = lower;
  if (rest.ends_with(".gguf")) rest.remove_suffix(5);
  while (!rest.empty()) {
    const size_t slash = rest.rfind('/');
    const bool folder = slash != std::string_view::npos;
    if (std::string tag = tag_of_name(folder ? rest.substr(slash + 1) : rest); !tag.empty()) return tag;
    rest = rest.substr(0, folder ? slash : 0);
  }
  return "";
}

bool up_to_q8_0(std::string_view tag) {
  const std::string lower = lowercase(tag);
  if (lower.empty() || lower.starts_with("q8_k") || lower.starts_with("ud-q8_k")) return false;
  return std::ranges::find(kFloats, lower) == kFloats.end();
}

bool is_same_tag(std::string_view tag, std::string_view wanted) { return lowercase(tag) == lowercase(wanted); }
bool ends_in_tag(std::string_view tag, std::string_view wanted) { return lowercase(tag).ends_with("-" + lowercase(wanted)); }

}  // namespace skald
