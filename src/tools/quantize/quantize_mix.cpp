// The choices are those of llama.cpp (src/llama-quant.cpp), whose authors found them by perplexity.
#include "tools/quantize/quantize_mix.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <variant>

#include "base/error.h"
#include "quant/registry.h"

namespace skald {
namespace {

constexpr QuantizeMix kMixes[] = {
    {"Q1_0", 40, "q1_0", "1.1 bits, for models whose weights are signs"},
    {"TQ1_0", 36, "tq1_0", "1.7 bits, for ternary models"},
    {"TQ2_0", 37, "tq2_0", "2.1 bits, for ternary models"},
    {"Q2_0", 41, "q2_0", "2.25 bits, for ternary models"},
    {"Q2_K_S", 21, "q2_k", "2.5 bits; wants quantize.imatrix"},
    {"Q2_K", 10, "q2_k", "2.6 bits and q3_k"},
    {"Q3_K_S", 11, "q3_k", "3.4 bits"},
    {"Q3_K_M", 12, "q3_k", "3.4 bits, q4_k and q5_k"},
    {"Q3_K_L", 13, "q3_k", "3.4 bits and q5_k"},
    {"IQ4_XS", 30, "iq4_xs", "4.25 bits, uneven levels"},
    {"MXFP4_MOE", 38, "mxfp4", "4.25 bits for experts, q8_0 for the rest"},
    {"IQ4_NL", 25, "iq4_nl", "4.5 bits, uneven levels"},
    {"Q4_0", 2, "q4_0", "4.5 bits, blocks of 32"},
    {"Q4_K_S", 14, "q4_k", "4.5 bits"},
    {"Q4_K_M", 15, "q4_k", "4.5 bits and q6_k: a good first choice"},
    {"Q4_1", 3, "q4_1", "5 bits, blocks of 32"},
    {"Q5_0", 8, "q5_0", "5.5 bits, blocks of 32"},
    {"Q5_K_S", 16, "q5_k", "5.5 bits"},
    {"Q5_K_M", 17, "q5_k", "5.5 bits and q6_k"},
    {"Q5_1", 9, "q5_1", "6 bits, blocks of 32"},
    {"Q6_K", 18, "q6_k", "6.6 bits"},
    {"Q8_0", 7, "q8_0", "8.5 bits: hardly a loss"},
    {"F16", 1, "f16", "16 bits"},
    {"BF16", 32, "bf16", "16 bits, the range of f32"},
    {"F32", 0, "f32", "32 bits"},
    {"COPY", -1, "", "all tensors as they are"},
};

struct OtherName {
  std::string_view name, mix;
};
constexpr OtherName kOtherNames[] = {{"Q3_K", "Q3_K_M"}, {"Q4_K", "Q4_K_M"}, {"Q5_K", "Q5_K_M"}};

// Each layer counts from the first one.
bool always(const MixPlace&) { return true; }
bool first(const MixPlace& p, int64_t n) { return p.index < n; }
bool first_sixteenth(const MixPlace& p) { return first(p, p.count / 16); }
bool first_eighth(const MixPlace& p) { return first(p, p.count / 8); }
bool more_bits(const MixPlace& p) {  // the layers at both ends, and every third one between
  return first_eighth(p) || p.index >= 7 * p.count / 8 || (p.index - p.count / 8) % 3 == 2;
}
bool shared(const MixPlace& p) { return p.model.heads_per_kv >= 4; }  // small, since heads share it
bool eight_experts(const MixPlace& p) { return p.model.n_experts == 8; }
bool falcon(const MixPlace& p) { return p.model.falcon; }

struct Rule {
  std::string_view mixes;  // "Q4_K_M Q5_K_M"; empty: all
  MixPart part;
  bool (*when)(const MixPlace&);
  std::string_view format;  // empty: the one of most tensors
};

// The first one that fits counts.
constexpr Rule kRules[] = {
    {"TQ1_0 TQ2_0 Q2_0", MixPart::kTokenEmbedding, always, "q4_k"},

    {"", MixPart::kAttnV, eight_experts, "q8_0"},
    {"Q2_K Q2_K_S", MixPart::kAttnV, shared, "q4_k"},
    {"Q2_K", MixPart::kAttnV, always, "q3_k"},
    {"Q3_K_M", MixPart::kAttnV, [](const MixPlace& p) { return first(p, 2); }, "q5_k"},
    {"Q3_K_M", MixPart::kAttnV, always, "q4_k"},
    {"Q3_K_L", MixPart::kAttnV, always, "q5_k"},
    {"IQ4_NL IQ4_XS", MixPart::kAttnV, shared, "q5_k"},
    {"Q4_K_M Q5_K_M", MixPart::kAttnV, more_bits, "q6_k"},
    {"Q4_K_S", MixPart::kAttnV, [](const MixPlace& p) { return first(p, 4); }, "q5_k"},

    {"", MixPart::kAttnK, eight_experts, "q8_0"},

    {"Q2_K", MixPart::kFfnDown, always, "q3_k"},
    {"Q2_K_S", MixPart::kFfnDown, first_eighth, "q4_k"},
    {"Q3_K_M", MixPart::kFfnDown, first_sixteenth, "q5_k"},
    {"Q3_K_M", MixPart::kFfnDown, [](const MixPlace& p) { return falcon(p) && !more_bits(p); }, ""},
    {"Q3_K_M", MixPart::kFfnDown, always, "q4_k"},
    {"Q3_K_L", MixPart::kFfnDown, falcon, "q4_k"},
    {"Q3_K_L", MixPart::kFfnDown, always, "q5_k"},
    {"Q4_K_M", MixPart::kFfnDown, [](const MixPlace& p) { return falcon(p) && first_sixteenth(p); }, "q6_k"},
    {"Q4_K_M", MixPart::kFfnDown, [](const MixPlace& p) { return falcon(p) && more_bits(p); }, "q5_k"},
    {"Q4_K_M", MixPart::kFfnDown, falcon, ""},
    {"Q4_K_M Q5_K_M", MixPart::kFfnDown, more_bits, "q6_k"},
    {"Q4_K_S", MixPart::kFfnDown, [](const MixPlace& p) { return !falcon(p) && first_eighth(p); }, "q5_k"},
    {"IQ4_NL IQ4_XS", MixPart::kFfnDown, [](const MixPlace& p) { return !p.weighted && first_eighth(p); }, "q5_k"},
    // Even with an importance matrix these go wrong at times.
    {"Q4_0", MixPart::kFfnDown, [](const MixPlace& p) { return p.weighted && first_eighth(p); }, "q4_1"},
    {"Q5_0", MixPart::kFfnDown, [](const MixPlace& p) { return p.weighted && first_eighth(p); }, "q5_1"},

    {"Q3_K_L", MixPart::kAttnOutput, falcon, "q4_k"},
    {"", MixPart::kAttnOutput, falcon, ""},
    {"Q2_K Q3_K_S Q3_K_M IQ4_NL IQ4_XS Q4_K_S Q4_K_M", MixPart::kAttnOutput, eight_experts, "q5_k"},
    {"", MixPart::kAttnOutput, eight_experts, ""},
    {"Q2_K", MixPart::kAttnOutput, always, "q3_k"},
    {"Q3_K_M", MixPart::kAttnOutput, always, "q4_k"},
    {"Q3_K_L", MixPart::kAttnOutput, always, "q5_k"},
};

struct Fallback {
  std::string_view from, to;
};
constexpr Fallback kFallbacks[] = {{"q1_0", "q4_0"},  {"q2_0", "q4_0"},    {"q2_k", "q4_0"}, {"q3_k", "q4_0"},
                                   {"tq1_0", "q4_0"}, {"tq2_0", "q4_0"},   {"q4_k", "q5_0"}, {"q5_k", "q5_1"},
                                   {"q6_k", "q8_0"},  {"iq4_xs", "iq4_nl"}};

bool lists(std::string_view words, std::string_view word) {
  for (size_t at = words.find(word); at != std::string_view::npos; at = words.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at == 0 || words[at - 1] == ' ') && (end == words.size() || words[end] == ' ')) return true;
  }
  return words.empty();
}

const Format& format_named(std::string_view name) {
  const Format* format = find_format(name);
  SKALD_ASSERT(format);
  return *format;
}

std::string upper(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

// A number, or the first one of a list that has one for each layer.
int64_t first_of(const Meta& meta, const std::string& key) {
  const MetaValue* value = meta.find(key);
  if (!value) return 0;
  if (!std::holds_alternative<MetaArray>(*value)) return meta.i64(key);
  const std::vector<int64_t> all = meta.ints(key);
  return all.empty() ? 0 : all.front();
}

// The matrix of logits, or the embeddings where these are both.
const Format& output_format(const QuantizeMix& mix, const MixPlace& p) {
  const Format& most = format_named(mix.format);
  if (mix.name == "MXFP4_MOE" || p.model.falcon || p.columns % most.block != 0) return format_named("q8_0");
  return format_named(most.name == "q8_0" ? "q8_0" : "q6_k");
}

}  // namespace

std::span<const QuantizeMix> quantize_mixes() { return kMixes; }

const QuantizeMix& find_mix(std::string_view name) {
  std::string wanted = upper(name);
  for (const OtherName& other : kOtherNames)
    if (wanted == other.name) wanted = other.mix;
  const auto* mix = std::ranges::find(kMixes, std::string_view(wanted), &QuantizeMix::name);
  if (mix != std::end(kMixes)) return *mix;
  std::string known;
  for (const QuantizeMix& m : kMixes) known += (known.empty() ? "" : ", ") + std::string(m.name);
  if (wanted.starts_with("IQ1") || wanted.starts_with("IQ2") || wanted.starts_with("IQ3") || wanted == "NVFP4")
    fail(Errc::kUnsupported, "models of type {} can be run, but not made here; known: {}", wanted, known);
  fail(Errc::kBadInput, "no type is named '{}'; known: {}", name, known);
}

MixModel::MixModel(const Meta& meta) {
  const std::string arch = meta.str("general.architecture", "");
  falcon = arch == "falcon";
  n_layers = meta.i64(arch + ".block_count", 0);
  n_experts = meta.i64(arch + ".expert_count", 0);
  const int64_t heads = first_of(meta, arch + ".attention.head_count"),
                kv_heads =
                    meta.has(arch + ".attention.head_count_kv") ? first_of(meta, arch + ".attention.head_count_kv") : heads;
  heads_per_kv = kv_heads > 0 ? heads / kv_heads : 0;
  shared_70b = n_layers == 80 && ((arch == "llama" && heads != kv_heads) || arch == "qwen2" || arch == "olmo");
}

MixPart mix_part(std::string_view tensor) {
  if (tensor == "output.weight") return MixPart::kOutput;
  if (tensor == "token_embd.weight" || tensor == "per_layer_token_embd.weight") return MixPart::kTokenEmbedding;
  struct Name {
    std::string_view part_of_it;
    MixPart part;
  };
  static constexpr Name kNames[] = {
      {"attn_qkv.weight", MixPart::kAttnV}, {"attn_kv_b.weight", MixPart::kAttnV},        {"attn_v.weight", MixPart::kAttnV},
      {"attn_k.weight", MixPart::kAttnK},   {"attn_output.weight", MixPart::kAttnOutput}, {"ffn_down", MixPart::kFfnDown},
  };
  for (const Name& n : kNames)
    if (tensor.find(n.part_of_it) != std::string_view::npos) return n.part;
  return MixPart::kOther;
}

const Format& mixed_format(const QuantizeMix& mix, const MixPlace& place) {
  const Format& most = format_named(mix.format);
  if (place.part == MixPart::kOutput) return output_format(mix, place);
  if (mix.name == "MXFP4_MOE") return place.matrices > 1 ? most : format_named("q8_0");
  const auto* rule = std::ranges::find_if(
      kRules, [&](const Rule& r) { return r.part == place.part && lists(r.mixes, mix.name) && r.when(place); });
  const Format& chosen = rule == std::end(kRules) || rule->format.empty() ? most : format_named(rule->format);
  const bool small = place.model.shared_70b && place.part == MixPart::kAttnV && !eight_experts(place);
  return small && (chosen.name == "q3_k" || chosen.name == "q4_k") ? format_named("q5_k") : chosen;
}

const Format& fitting_format(const Format& format, int64_t columns) {
  if (columns % format.block == 0) return format;
  const auto* fallback = std::ranges::find(kFallbacks, format.name, &Fallback::from);
  const Format& smaller = fallback == std::end(kFallbacks) ? format : format_named(fallback->to);
  return columns % smaller.block == 0 ? smaller : format_named("f16");
}

}  // namespace skald
