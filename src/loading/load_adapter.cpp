#include "loading/load_adapter.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "adapters/gguf_adapter.h"
#include "adapters/low_rank_shapes.h"
#include "base/error.h"
#include "base/log.h"
#include "convert/peft_adapter.h"
#include "graph/sites.h"
#include "io/printable.h"

namespace skald {
namespace {

void check_shapes(const std::string& name, const LowRank& change, const Site& site) {
  const Shape& weight = site.shape;
  const auto [a, b] = LowRankShapes::of(weight, change.rank(), site.table);
  if (change.a.shape() != a || change.b.shape() != b)
    fail(Errc::kBadFile, "tensor {}: lora_a is {} and lora_b {}; this model's weight {} wants {} and {}", name,
         change.a.shape().to_string(), change.b.shape().to_string(), weight.to_string(), a.to_string(), b.to_string());
}

void check_fit(const Adapter& adapter, const LoadedModel& model) {
  if (adapter.arch != model.arch())
    fail(Errc::kBadFile, "an adapter for architecture {}, and the model has {}", skald::quoted(adapter.arch), model.arch());
  const std::map<std::string, Site> sites = sites_of(model.build_graph({1, 1}));
  for (const auto& [name, change] : adapter.changes) {
    const auto site = sites.find(name);
    if (site != sites.end())
      check_shapes(name, change, site->second);
    else if (model.weights().find(name))
      fail(Errc::kUnsupported, "tensor {}: only matrices that rows are multiplied by can be changed", printable(name));
    else
      fail(Errc::kBadFile, "tensor {}: the model has no such weight", printable(name));
  }
  for (const TokenId token : adapter.invocation)
    if (token >= model.n_vocab())
      fail(Errc::kBadFile, "adapter.alora.invocation_tokens: {} is outside the vocabulary of {}", token, model.n_vocab());
}

// Some files (nvfp4) have numbers that products are multiplied by afterwards, of the change too: it is divided by them here.
void undo_scale(const std::string& name, LowRank& change, std::span<const float> scales) {
  if (std::ranges::count(scales, 0.0f)) fail(Errc::kUnsupported, "tensor {}: the model multiplies it by 0", printable(name));
  if (scales.size() == 1) {
    change.factor /= scales[0];
    return;
  }
  std::vector<float> b = change.b.values();
  const size_t each = b.size() / scales.size();
  for (size_t i = 0; i < b.size(); ++i) b[i] /= scales[i / each];
  change.b = AdapterMatrix(name, b, change.b.shape());
}

// A router's vector of this name is about its inputs.
void undo_scales(Adapter& adapter, const LoadedModel& model) {
  for (auto& [name, change] : adapter.changes) {
    const std::string scale = name.substr(0, name.rfind('.')) + ".scale";
    const std::optional<TensorDesc> desc = model.weights().find(scale);
    const int64_t n = desc ? desc->shape.elements() : 0, matrices = change.b.shape().rank() == 3 ? change.b.shape()[0] : 1;
    if (n == 0 || (n != 1 && n != matrices)) continue;
    undo_scale(name, change, {reinterpret_cast<const float*>(model.weights().place(scale).rows), static_cast<size_t>(n)});
  }
}

// Names differ by separators and cases: "Llama 3.2 1B Instruct" is "meta-llama/Llama-3.2-1B-Instruct".
std::string letters_of(std::string_view name) {
  std::string out;
  for (const char c : name.substr(name.rfind('/') + 1))
    if (std::isalnum(static_cast<unsigned char>(c))) out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

void tell_other_base(const Adapter& adapter, const LoadedModel& model) {
  const std::string wanted = letters_of(adapter.base), have = letters_of(model.name());
  if (wanted.empty() || have.find(wanted) != have.npos || wanted.find(have) != wanted.npos) return;
  log(LogLevel::kWarn, "{}: an adapter of {}, and the model is {}", printable(adapter.path), skald::quoted(adapter.base),
      skald::quoted(model.name()));
}

}  // namespace

std::shared_ptr<const Adapter> load_adapter(const LoadedModel& model, const std::string& path) {
  auto adapter =
      std::make_shared<Adapter>(is_peft_folder(path) ? read_peft_adapter(path, model.meta()) : read_gguf_adapter(path));
  doing(path, [&] {
    check_fit(*adapter, model);
    undo_scales(*adapter, model);
  });
  tell_other_base(*adapter, model);
  return adapter;
}

std::shared_ptr<const Adapter> load_adapter_to_merge(const LoadedModel& model, const LoraFile& file) {
  if (!std::isfinite(file.scale)) fail(Errc::kBadInput, "{}: the scale is not finite", file.path);
  auto adapter = load_adapter(model, file.path);
  if (!adapter->invocation.empty())
    fail(Errc::kUnsupported, "{}: it acts from certain tokens on (an activated LoRA), which changed weights cannot",
         file.path);
  return adapter;
}

}  // namespace skald
