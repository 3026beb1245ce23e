#include "loading/control_vectors.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "io/gguf.h"
#include "io/printable.h"
#include "tensor/finite.h"

namespace skald {
namespace {

constexpr std::string_view kArchitecture = "controlvector", kHintKey = "controlvector.model_hint",
                           kCountKey = "controlvector.layer_count", kPrefix = "direction.";

using Sums = std::map<int64_t, std::vector<float>>;

void check_kind(const Meta& meta) {
  if (const std::string& arch = meta.str("general.architecture"); arch != kArchitecture)
    fail(Errc::kBadFile, "key general.architecture is {}: want {}", skald::quoted(arch), kArchitecture);
}

// Files may name the model as another program does: "mistral" for llama.
void warn_of_keys(const std::string& path, const Gguf& file, const std::string& arch) {
  if (const std::string hint = file.meta().str(kHintKey, arch); hint != arch)
    log(LogLevel::kWarn, "{}: key {} is {}, and the model's architecture is {}", path, kHintKey, skald::quoted(hint), arch);
  const auto n = std::ssize(file.tensors());
  if (const int64_t count = file.meta().i64(kCountKey, n); count != n)
    log(LogLevel::kWarn, "{}: key {} is {}, and the file has {} tensors", path, kCountKey, count, n);
}

int64_t layer_of(const GgufTensor& t, int64_t n_layers) {
  const std::string_view digits = std::string_view(t.name).substr(std::min(kPrefix.size(), t.name.size()));
  int64_t layer = -1;
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), layer);
  if (!t.name.starts_with(kPrefix) || error != std::errc() || rest != digits.data() + digits.size())
    fail(Errc::kBadFile, "tensor {}: want {}<layer>", printable(t.name), kPrefix);
  if (layer < 1 || layer >= n_layers)
    fail(Errc::kBadFile, "tensor {}: the model's layers are 0 to {}, and a vector is for one from 1 on", printable(t.name),
         n_layers - 1);
  return layer;
}

std::vector<float> direction_of(const GgufTensor& t, int64_t d_model) {
  if (format_of(*t.type) != &format_f32 || t.shape != Shape{d_model})
    fail(Errc::kBadFile, "tensor {}: want f32 {}, file has {} {}", printable(t.name), Shape{d_model}.to_string(),
         t.type->name, t.shape.to_string());
  want_finite(printable(t.name), format_f32, t.data, d_model);
  std::vector<float> out(static_cast<size_t>(d_model));
  std::memcpy(out.data(), t.data.data(), t.data.size());
  return out;
}

void add_tensors(const Gguf& gguf, float scale, const SteeredModel& model, Sums& sums) {
  check_kind(gguf.meta());
  if (gguf.tensors().empty()) fail(Errc::kBadFile, "a file of control vectors without tensors");
  for (const GgufTensor& t : gguf.tensors()) {
    const int64_t layer = layer_of(t, model.n_layers);
    const std::vector<float> direction = direction_of(t, model.d_model);
    std::vector<float>& sum = sums[layer];
    sum.resize(direction.size());
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += direction[i] * scale;
  }
}

void add_file(const ControlVector& file, const SteeredModel& model, Sums& sums) {
  if (!std::isfinite(file.scale)) fail(Errc::kBadInput, "load.control_vectors: {}: the scale is not finite", file.path);
  const Gguf gguf = Gguf::open(file.path, FileBytes::How::kMap);
  doing(file.path, [&] {
    add_tensors(gguf, file.scale, model, sums);
    warn_of_keys(file.path, gguf, model.arch);
  });
}

// The layers of a range, both among them, whose ends count from 1 on.
std::pair<int64_t, int64_t> ends_of(const LayerRange& range) {
  const int64_t first = std::max<int64_t>(range.first, 1);
  const int64_t last = range.last > 0 ? range.last : std::numeric_limits<int64_t>::max();
  if (first > last) fail(Errc::kBadInput, "load.control_layers: from {} to {}: the first comes after the last", first, last);
  return {first, last};
}

void keep_range(const LayerRange& range, Sums& sums) {
  const auto [first, last] = ends_of(range);
  std::erase_if(sums, [&](const auto& of) { return of.first < first || of.first > last; });
  if (sums.empty())
    fail(Errc::kBadInput, "load.control_layers: no control vector is for a layer from {} {}", first,
         range.last > 0 ? fmt::format("to {}", last) : "on");
}

void want_finite_sums(const Sums& sums) {
  for (const auto& [layer, sum] : sums)
    if (!std::ranges::all_of(sum, [](float x) { return std::isfinite(x); }))
      fail(Errc::kBadInput, "load.control_vectors: the sum for layer {} is not finite", layer);
}

}  // namespace

Sums read_control_vectors(std::span<const ControlVector> files, const LayerRange& range, const SteeredModel& model) {
  Sums sums;
  if (files.empty()) return sums;
  for (const ControlVector& file : files) add_file(file, model, sums);
  keep_range(range, sums);
  want_finite_sums(sums);
  std::erase_if(sums, [](const auto& of) { return std::ranges::all_of(of.second, [](float x) { return x == 0; }); });
  return sums;
}

}  // namespace skald
