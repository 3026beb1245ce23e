#include "loading/calibration.h"

#include <cmath>
#include <cstring>

#include "base/digest.h"
#include "base/error.h"
#include "graph/basis_names.h"
#include "io/printable.h"
#include "tensor/finite.h"

namespace skald {
namespace {

constexpr std::string_view kType = "skald-index";
constexpr const char *kTypeKey = "general.type", *kMarkKey = "skald_index.model_norms", *kModelKey = "skald_index.model",
                     *kDatasetKey = "skald_index.dataset", *kTokensKey = "skald_index.tokens";

WeightSet weights_of(const Gguf& file) {
  WeightSet out;
  for (const GgufTensor& t : file.tensors())
    out.weights.emplace(t.name, WeightSet::Weight{t.type, t.shape, t.data.data(), static_cast<int64_t>(t.data.size())});
  return out;
}

// (matrices, d, d), where a single matrix may be (d, d).
void want_square_matrices(const std::string& name, const WeightSet::Weight& w) {
  const int rank = w.shape.rank();
  if (rank < 2 || rank > 3 || w.shape[rank - 1] != w.shape[rank - 2] || format_of(*w.type) != &format_f32)
    fail(Errc::kBadFile, "tensor {}: want f32 (KV heads, n, n), file has {} {}", printable(name), w.type->name,
         w.shape.to_string());
  want_finite(printable(name), format_f32, {w.data, static_cast<size_t>(w.bytes)}, w.shape.back());
}

// Numbers in [-1, 1) that are the same everywhere.
std::vector<double> probe(int64_t n, uint64_t state) {
  std::vector<double> out(static_cast<size_t>(n));
  for (double& x : out) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    x = static_cast<double>(static_cast<int64_t>(state) >> 11) * 0x1p-52;
  }
  return out;
}

// m (d, d) times x.
std::vector<double> turned(const float* m, const std::vector<double>& x) {
  std::vector<double> out(x.size());
  for (size_t c = 0; c < x.size(); ++c)
    for (size_t i = 0; i < x.size(); ++i) out[c] += static_cast<double>(m[c * x.size() + i]) * x[i];
  return out;
}

double dot_of(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// The matrices of a head are the inverse of each other's transpose: some vectors keep their dot product.
bool keeps_products(const float* keys, const float* queries, int64_t d) {
  constexpr double kRounding = 1e-4;
  for (uint64_t i = 0; i < 4; ++i) {
    const std::vector<double> k = probe(d, 2 * i + 1), q = probe(d, 2 * i + 2);
    const std::vector<double> own_k = turned(keys, k), own_q = turned(queries, q);
    const double room = std::sqrt(dot_of(own_k, own_k) * dot_of(own_q, own_q));
    if (!(std::abs(dot_of(own_k, own_q) - dot_of(k, q)) <= kRounding * room)) return false;
  }
  return true;
}

void check_pair(const std::string& keys_name, const WeightSet::Weight& keys, const WeightSet::Weight& queries) {
  const int64_t d = keys.shape.back(), heads = keys.shape.elements() / (d * d);
  const auto* k = reinterpret_cast<const float*>(keys.data);
  const auto* q = reinterpret_cast<const float*>(queries.data);
  for (int64_t head = 0; head < heads; ++head)
    if (!keeps_products(k + head * d * d, q + head * d * d, d))
      fail(Errc::kBadFile, "tensor {}, KV head {}: the basis of the queries is not the inverse of that of the keys",
           printable(keys_name), head);
}

}  // namespace

bool ModelMark::counts(std::string_view tensor, const Shape& shape, const Format* format) {
  return tensor.ends_with("_norm.weight") && shape.rank() == 1 && format == &format_f32;
}

ModelMark::ModelMark(const WeightSet& weights) {
  for (const auto& [name, w] : weights.weights)
    if (counts(name, w.shape, format_of(*w.type)) && w.data) add(name, {w.data, static_cast<size_t>(w.bytes)});
}

ModelMark::ModelMark(const Gguf& model) : ModelMark(weights_of(model)) {}

void ModelMark::add(std::string name, std::span<const std::byte> data) {
  norms_.emplace(std::move(name), std::vector<std::byte>(data.begin(), data.end()));
}

std::string ModelMark::sum() const {
  Digest digest(Digest::Kind::kSha256);
  for (const auto& [name, data] : norms_) {
    digest.add(fmt::format("{} {}:", name, data.size()));
    digest.add(data);
  }
  return hexadecimal(sha256_of(std::move(digest)));
}

void write_calibration(const std::string& path, const ModelMark& model, const CalibrationTexts& texts,
                       std::span<const LayerBasis> layers) {
  GgufWriter writer;
  writer.meta.set(kTypeKey, std::string(kType));
  writer.meta.set(kMarkKey, model.sum());
  writer.meta.set(kModelKey, texts.model);
  writer.meta.set(kDatasetKey, texts.dataset);
  writer.meta.set(kTokensKey, static_cast<uint64_t>(texts.tokens));
  for (const LayerBasis& l : layers) {
    const Shape shape{l.n_kv_heads, l.d, l.d};
    const auto add = [&](std::string_view name, const std::vector<float>& values) {
      writer.add_tensor(l.layer + std::string(name), shape, format_f32.id, std::as_bytes(std::span(values)));
    };
    add(basis_names::kKeys, l.keys);
    add(basis_names::kQueries, l.queries);
  }
  writer.write(path);
}

Gguf open_calibration(const std::string& path) {
  Gguf file = Gguf::open(path, FileBytes::How::kRead);
  doing(path, [&] {
    const std::string type = file.meta().str(kTypeKey, "");
    if (type != kType)
      fail(Errc::kBadFile, "it is no calibration of skald calibrate: general.type is {}", skald::quoted(type));
    if (file.tensors().empty()) fail(Errc::kBadFile, "it has no tensors");
    for (const GgufTensor& t : file.tensors())
      if (!basis_names::is_basis(t.name))
        fail(Errc::kBadFile, "tensor {} does not belong into a calibration", printable(t.name));
    check_index_bases(weights_of(file));
  });
  return file;
}

void want_same_model(const Gguf& calibration, const std::string& path, const ModelMark& model) {
  if (calibration.meta().str(kMarkKey, "") == model.sum()) return;
  fail(Errc::kBadFile, "{}: it was made for another model, {}: make one for this model (skald calibrate)", path,
       skald::quoted(calibration.meta().str(kModelKey, "")));
}

void check_index_bases(const WeightSet& weights) {
  for (const auto& [name, w] : weights.weights) {
    if (!basis_names::is_basis(name)) continue;
    want_square_matrices(name, w);
    const bool of_keys = name.ends_with(basis_names::kKeys);
    const std::string_view own = of_keys ? basis_names::kKeys : basis_names::kQueries;
    const std::string other =
        name.substr(0, name.size() - own.size()) + std::string(of_keys ? basis_names::kQueries : basis_names::kKeys);
    const auto at = weights.weights.find(other);
    if (at == weights.weights.end()) fail(Errc::kBadFile, "tensor {} has no {}", printable(name), printable(other));
    if (at->second.shape != w.shape)
      fail(Errc::kBadFile, "tensors {} and {}: {} and {} are unlike", printable(name), printable(other), w.shape.to_string(),
           at->second.shape.to_string());
    if (!of_keys) continue;
    want_square_matrices(other, at->second);
    check_pair(name, w, at->second);
  }
}

}  // namespace skald
