#include "convert/target_type.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/lowercase.h"
#include "io/printable.h"
#include "quant/encoder.h"
#include "quant/registry.h"

namespace skald {
namespace {

// Numbers of llama.cpp's llama_ftype; of K-quants the forms that have one type throughout.
constexpr std::array<std::pair<std::string_view, uint32_t>, 20> kFileTypes = {{
    {"f32", 0},   {"f16", 1},    {"q4_0", 2},   {"q4_1", 3},   {"q8_0", 7},  {"q5_0", 8},    {"q5_1", 9},
    {"q2_k", 10}, {"q3_k", 11},  {"q4_k", 14},  {"q5_k", 16},  {"q6_k", 18}, {"iq4_nl", 25}, {"iq4_xs", 30},
    {"bf16", 32}, {"tq1_0", 36}, {"tq2_0", 37}, {"mxfp4", 38}, {"q1_0", 40}, {"q2_0", 41},
}};

constexpr std::string_view kF32Always[] = {"_norm",        "ffn_gate_inp",   "position_embd",      "token_types",
                                           "ssm_conv1d",   "shortconv.conv", "altup_correct_coef", "altup_predict_coef",
                                           "indexer.proj", "attn_rel_b"};

// As llama.cpp's converter does: small, or read as floats by all engines.
bool is_f32_always(std::string_view name, const LazyTensor& data) {
  return data.shape.rank() < 2 || !name.ends_with(".weight") ||
         std::ranges::any_of(kF32Always, [&](std::string_view part) { return name.find(part) != name.npos; });
}

const Format& as_stored(const LazyTensor& data) {
  if (const Format* format = data.format()) return *format;
  // Computed, or of a type that GGUF has not.
  const StoredTensor& first = data.parts.front().stored();
  switch (first.element) {
    case Element::kF8E4M3:
    case Element::kF8E5M2:
    case Element::kMxfp4:
      return *find_format("bf16");
    case Element::kF32:
    case Element::kF16:
    case Element::kBF16:
    case Element::kF64:
      break;
  }
  return first.format() ? *first.format() : format_f32;
}

bool fits(const Format& format, const LazyTensor& data) {
  bool whole = data.shape.back() % format.block == 0;
  for (size_t i = 0; i < data.parts.size(); ++i)
    whole = whole && data.rows_of_part(i) * data.parts[i].cols() % format.block == 0;
  return whole;
}

}  // namespace

const Format& target_format(std::string_view type) {
  const std::string name = lowercase(type);
  std::string known;
  for (const Format* f : formats()) {
    if (!has_encoder(*f)) continue;
    if (f->name == name) return *f;
    known += (known.empty() ? "" : ", ") + std::string(f->name);
  }
  fail(Errc::kBadInput, "type {}: weights cannot be converted to it; known: {}", skald::quoted(type), known);
}

const Format& target_format(std::string_view name, const LazyTensor& data, const Format* wanted) {
  if (is_f32_always(name, data)) return format_f32;
  const Format& format = wanted ? *wanted : as_stored(data);
  if (fits(format, data)) return format;
  const Format& f16 = *find_format("f16");
  log(LogLevel::kWarn, "tensor {}: its rows of {} are no whole blocks of {}: written as {}", printable(name),
      data.shape.back(), format.name, f16.name);
  return f16;
}

std::optional<uint32_t> file_type(const Format& format) {
  const auto* row = std::ranges::find(kFileTypes, format.name, &std::pair<std::string_view, uint32_t>::first);
  return row == kFileTypes.end() ? std::nullopt : std::optional(row->second);
}

}  // namespace skald
