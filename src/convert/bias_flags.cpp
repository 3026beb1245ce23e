#include "convert/bias_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace skald {
namespace {

constexpr std::string_view kQkv[] = {".attn_q.bias", ".attn_k.bias", ".attn_v.bias", ".attn_qkv.bias"};
constexpr std::string_view kAttentionOutput[] = {".attn_output.bias"};
constexpr std::string_view kFfn[] = {".ffn_gate.bias", ".ffn_up.bias", ".ffn_down.bias"};
constexpr std::string_view kAfter[] = {".attn_output.bias", ".ffn_up.bias", ".ffn_down.bias"};

struct BiasFlag {
  std::string_view key;
  std::span<const std::string_view> tensors;  // ends of their names
};

constexpr BiasFlag kFlags[] = {{"attention_bias", kQkv},    {"qkv_bias", kQkv},
                               {"use_qkv_bias", kQkv},      {"add_qkv_bias", kQkv},
                               {"mlp_bias", kFfn},          {"bias", kAfter},
                               {"add_bias_linear", kAfter}, {"use_bias", kAfter},
                               {"enable_bias", kAfter},     {"attention_out_bias", kAttentionOutput}};

bool has_any(std::span<const NamedTensor> tensors, std::span<const std::string_view> ends) {
  return std::ranges::any_of(tensors, [&](const NamedTensor& t) {
    return std::ranges::any_of(ends, [&](std::string_view end) { return t.name.ends_with(end); });
  });
}

}  // namespace

std::string bias_flags_that_differ(const HfConfig& config, std::span<const NamedTensor> tensors) {
  std::string out;
  for (const BiasFlag& flag : kFlags) {
    const bool there = has_any(tensors, flag.tensors);
    if (const bool said = config.flag({flag.key}, there); said != there)
      out += fmt::format("{}{} is {}, but there are {}", out.empty() ? "" : "; ", flag.key, said,
                         there ? "biases, which are used" : "none");
  }
  return out;
}

}  // namespace skald
