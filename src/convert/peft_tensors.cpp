#include "convert/peft_tensors.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "convert/stored_tensor.h"
#include "io/printable.h"

namespace skald {
namespace {

constexpr std::string_view kPrefix = "base_model.model.", kWeight = ".weight", kCopy = ".base_layer.weight";

// The two tensors of a module. A table of tokens (nn.Embedding) has its own: A (rank, n), B (d, rank).
struct PeftPair {
  const SafetensorsTensor *a = nullptr, *b = nullptr;
  bool is_table = false;
};

struct Marker {
  std::string_view text;
  bool is_a, is_table;
};
constexpr std::array<Marker, 4> kMarkers = {{{".lora_embedding_A", true, true},
                                             {".lora_embedding_B", false, true},
                                             {".lora_A", true, false},
                                             {".lora_B", false, false}}};

struct PeftName {
  std::string module;
  Marker marker;
};

// After the marker come the adapter's name, which most files leave out, and of matrices ".weight".
std::optional<PeftName> parse_name(std::string_view name) {
  if (name.starts_with(kPrefix)) name.remove_prefix(kPrefix.size());
  for (const Marker& m : kMarkers) {
    const size_t at = name.rfind(m.text);
    if (at == name.npos || at == 0) continue;
    std::string_view rest = name.substr(at + m.text.size());
    if (!m.is_table) {
      if (!rest.ends_with(kWeight)) continue;
      rest.remove_suffix(kWeight.size());
    }
    const bool has_name = rest.size() > 1 && rest.front() == '.' && rest.find('.', 1) == rest.npos;
    if (rest.empty() || has_name) return PeftName{std::string(name.substr(0, at)), m};
  }
  return std::nullopt;
}

[[noreturn]] void refuse_tensor(const std::string& name) {
  const std::string_view why =
      name.find("lora_magnitude_vector") != name.npos ? "DoRA's magnitudes are no change of low rank"
      : name.find(".lora_") != name.npos
          ? "want lora_A.weight and lora_B.weight, or lora_embedding_A and lora_embedding_B"
          : "it would replace a weight of the model, which an adapter cannot; merge the adapter into "
            "its model (merge_and_unload of peft does) and convert that";
  fail(Errc::kUnsupported, "tensor {}: {}", printable(name), why);
}

// PEFT also saves the weights of a changed table as the model has them.
bool is_copy(const std::string& name, const std::map<std::string, PeftPair>& pairs) {
  std::string_view module = name;
  if (!module.ends_with(kCopy)) return false;
  module.remove_suffix(kCopy.size());
  if (module.starts_with(kPrefix)) module.remove_prefix(kPrefix.size());
  return pairs.contains(std::string(module));
}

std::map<std::string, PeftPair> pairs_of(const Safetensors& file) {
  std::map<std::string, PeftPair> pairs;
  std::vector<const SafetensorsTensor*> others;
  for (const SafetensorsTensor& t : file.tensors()) {
    const std::optional<PeftName> name = parse_name(t.name);
    if (!name) {
      others.push_back(&t);
      continue;
    }
    PeftPair& pair = pairs[name->module];
    const SafetensorsTensor*& half = name->marker.is_a ? pair.a : pair.b;
    const bool other_kind = (pair.a || pair.b) && pair.is_table != name->marker.is_table;
    if (half || other_kind) fail(Errc::kBadFile, "tensor {}: its module has two of it", printable(t.name));
    half = &t;
    pair.is_table = name->marker.is_table;
  }
  for (const SafetensorsTensor* t : others) {
    if (!is_copy(t->name, pairs)) refuse_tensor(t->name);
    log(LogLevel::kWarn, "tensor {} is left out: a copy of the model's own", printable(t->name));
  }
  if (pairs.empty()) fail(Errc::kBadFile, "an adapter without tensors");
  return pairs;
}

// (n, m) as (m, n).
std::vector<float> transpose_of(const std::vector<float>& x, int64_t n, int64_t m) {
  std::vector<float> out(x.size());
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < m; ++j) out[static_cast<size_t>(j * n + i)] = x[static_cast<size_t>(i * m + j)];
  return out;
}

void want_matrix(const SafetensorsTensor& t) {
  const std::vector<int64_t>& s = t.shape;
  if (s.size() > 2)
    fail(Errc::kUnsupported, "tensor {}: {} dimensions: changes of matrices are known, not of convolutions",
         printable(t.name), s.size());
  if (s.size() != 2 || s[0] < 1 || s[1] < 1) fail(Errc::kBadFile, "tensor {}: want a matrix", printable(t.name));
}

std::vector<float> floats_of(const SafetensorsTensor& t) {
  const std::optional<Element> element = element_of(t.type);
  if (!element) fail(Errc::kUnsupported, "tensor {}: want floats, file has {}", printable(t.name), name_of(t.type));
  const StoredTensor stored{t.name, *element, t.shape, t.data};
  std::vector<float> out(static_cast<size_t>(t.elements()));
  stored.read(0, 1, t.elements(), out.data());
  return out;
}

ModuleChange change_of_pair(const std::string& module, const PeftPair& pair, const PeftConfig& config) {
  if (!pair.a || !pair.b)
    fail(Errc::kBadFile, "tensor {}: the module's {} is missing", printable((pair.a ? pair.a : pair.b)->name),
         pair.a ? "B" : "A");
  want_matrix(*pair.a);
  want_matrix(*pair.b);
  const int64_t rank = pair.a->shape[0], want = config.rank_of(module), in = pair.a->shape[1], out = pair.b->shape[0];
  if (pair.b->shape[1] != rank)
    fail(Errc::kBadFile, "tensor {}: rank {}, but A of its module has {}", printable(pair.b->name), pair.b->shape[1], rank);
  if (rank != want)
    fail(Errc::kBadFile, "tensor {}: rank {}, but {} says {}", printable(pair.a->name), rank, PeftConfig::kFile, want);
  const std::vector<float> a = floats_of(*pair.a), b = floats_of(*pair.b);
  ModuleChange linear{.module = module,
                      .rows = out,
                      .cols = in,
                      .rank = rank,
                      .left = b,
                      .right = transpose_of(a, rank, in),
                      .factor = config.factor_of(module),
                      .is_table = pair.is_table};
  return pair.is_table ? linear.transposed() : linear;  // a table's rows are tokens
}

}  // namespace

std::vector<ModuleChange> module_changes(const Safetensors& file, const PeftConfig& config) {
  std::vector<ModuleChange> out;
  for (const auto& [module, pair] : pairs_of(file)) out.push_back(change_of_pair(module, pair, config));
  return out;
}

}  // namespace skald
