#include "adapters/gguf_adapter.h"

#include <cmath>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/meta.h"
#include "io/gguf.h"
#include "io/printable.h"
#include "quant/registry.h"

namespace skald {
namespace {

constexpr std::string_view kA = ".lora_a", kB = ".lora_b";

// The two matrices of a weight.
struct Pair {
  const GgufTensor *a = nullptr, *b = nullptr;
};

void check_kind(const Meta& meta) {
  if (const std::string type = meta.str("general.type", "model"); type != "adapter")
    fail(Errc::kBadFile, "general.type is {}: want an adapter (LoRA)", skald::quoted(type));
  if (const std::string type = meta.str("adapter.type", ""); type != "lora")
    fail(Errc::kUnsupported, "adapter.type is {}: only lora is known", skald::quoted(type));
}

std::map<std::string, Pair> pairs_of(const Gguf& file) {
  std::map<std::string, Pair> pairs;
  for (const GgufTensor& t : file.tensors()) {
    const bool is_a = t.name.ends_with(kA);
    if (!is_a && !t.name.ends_with(kB))
      fail(Errc::kUnsupported,
           "tensor {}: an adapter has tensors {} and {} only; this one would replace a weight of the model",
           printable(t.name), kA.substr(1), kB.substr(1));
    Pair& pair = pairs[t.name.substr(0, t.name.size() - kA.size())];
    (is_a ? pair.a : pair.b) = &t;
  }
  for (const auto& [name, pair] : pairs)
    if (!pair.a || !pair.b) fail(Errc::kBadFile, "tensor {}{} is missing", printable(name), pair.a ? kB : kA);
  if (pairs.empty()) fail(Errc::kBadFile, "an adapter without tensors");
  return pairs;
}

AdapterMatrix matrix_of(const GgufTensor& t) {
  const Format* const format = format_of(*t.type);
  if (!format || !format->decode) fail(Errc::kUnsupported, "tensor {}: type {}", printable(t.name), t.type->name);
  std::vector<float> values(static_cast<size_t>(t.shape.elements()));
  format->decode(t.data.data(), values.data(), std::ssize(values));
  return {t.name, values, t.shape};
}

// alpha 0 means 1 for every rank.
LowRank change_of(const std::string& name, const Pair& pair, float alpha) {
  const Shape &a = pair.a->shape, &b = pair.b->shape;
  const bool matrices = (a.rank() == 2 || a.rank() == 3) && a.rank() == b.rank();
  if (!matrices || a.elements() == 0 || b.elements() == 0)
    fail(Errc::kBadFile,
         "tensor {}: lora_a is {} and lora_b {}: want two matrices, or as many for each expert, of a rank above 0",
         printable(name), a.to_string(), b.to_string());
  LowRank out{.a = matrix_of(*pair.a), .b = matrix_of(*pair.b)};
  if (alpha != 0) out.factor = alpha / static_cast<float>(out.rank());
  want_ranks(name, out);
  return out;
}

std::vector<TokenId> invocation_of(const Meta& meta) {
  std::vector<TokenId> out;
  for (const int64_t token : meta.ints("adapter.alora.invocation_tokens")) {
    if (token < 0 || token > INT32_MAX) fail(Errc::kBadFile, "adapter.alora.invocation_tokens: {} is no token", token);
    out.push_back(static_cast<TokenId>(token));
  }
  return out;
}

// The converter's keys for the model that an adapter was made for.
std::string base_of(const Meta& meta) {
  for (const char* key : {"general.base_model.0.name", "general.base_model.0.repo_url"})
    if (const std::string name = meta.str(key, ""); !name.empty()) return name;
  return {};
}

}  // namespace

Adapter read_gguf_adapter(const std::string& path) {
  return doing(path, [&] {
    const Gguf file = Gguf::open(path, FileBytes::How::kMap);
    const Meta& meta = file.meta();
    check_kind(meta);
    const float alpha = meta.f32("adapter.lora.alpha", 0);
    if (!std::isfinite(alpha)) fail(Errc::kBadFile, "adapter.lora.alpha is not finite");
    Adapter out{.name = std::filesystem::path(path).stem().string(),
                .path = path,
                .arch = meta.str("general.architecture"),
                .base = base_of(meta),
                .task = meta.str("adapter.lora.task_name", ""),
                .prefix = meta.str("adapter.lora.prompt_prefix", ""),
                .invocation = invocation_of(meta),
                .changes = {}};
    for (const auto& [name, pair] : pairs_of(file)) out.changes.emplace(name, change_of(name, pair, alpha));
    return out;
  });
}

namespace {

// One alpha is for all: B takes over the part of a factor that it does not say.
float alpha_of(const Adapter& adapter) {
  const LowRank& first = adapter.changes.begin()->second;
  return first.factor * static_cast<float>(first.rank());
}

std::vector<std::byte> encode(const AdapterMatrix& m, float factor, const Format& format) {
  std::vector<float> values = m.values();
  if (factor != 1)
    for (float& x : values) x *= factor;
  std::vector<std::byte> out(static_cast<size_t>(format.bytes(std::ssize(values))));
  format.encode(values.data(), out.data(), std::ssize(values));
  return out;
}

const Format& format_for(const AdapterMatrix& m, const Format* wanted) {
  if (!wanted) return *m.desc().format;
  return m.shape().back() % wanted->block ? format_f32 : *wanted;  // a rank is seldom a multiple of blocks
}

}  // namespace

void write_gguf_adapter(const Adapter& adapter, const std::string& path, const std::string& type) {
  const Format* const wanted = type.empty() ? nullptr : find_format(type);
  if (!type.empty() && (!wanted || !wanted->encode))
    fail(Errc::kBadInput, "no matrices of an adapter can be {}", skald::quoted(type));
  const float alpha = alpha_of(adapter);
  GgufWriter out;
  out.meta.set("general.architecture", adapter.arch);
  out.meta.set("general.type", std::string("adapter"));
  out.meta.set("general.name", adapter.name);
  if (!adapter.base.empty()) {
    out.meta.set("general.base_model.count", uint32_t{1});
    out.meta.set("general.base_model.0.name", adapter.base);
  }
  out.meta.set("adapter.type", std::string("lora"));
  out.meta.set("adapter.lora.alpha", alpha);
  if (!adapter.task.empty()) out.meta.set("adapter.lora.task_name", adapter.task);
  if (!adapter.prefix.empty()) out.meta.set("adapter.lora.prompt_prefix", adapter.prefix);
  if (!adapter.invocation.empty())
    out.meta.set("adapter.alora.invocation_tokens",
                 MetaArray{std::vector<uint32_t>(adapter.invocation.begin(), adapter.invocation.end())});
  std::vector<std::vector<std::byte>> bytes;
  for (const auto& [name, change] : adapter.changes) {
    const float more = alpha == 0 ? 1 : change.factor * static_cast<float>(change.rank()) / alpha;
    for (const auto& [ending, matrix, factor] : {std::tuple(kA, &change.a, 1.0f), std::tuple(kB, &change.b, more)}) {
      const bool rescaled = factor != 1;
      const Format& format = rescaled && !wanted ? format_f32 : format_for(*matrix, wanted);
      bytes.push_back(encode(*matrix, factor, format));
      out.add_tensor(name + std::string(ending), matrix->shape(), format.id, bytes.back());
    }
  }
  out.write(path);
}

}  // namespace skald
