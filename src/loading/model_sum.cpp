#include "loading/model_sum.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <type_traits>
#include <utility>

#include "graph/basis_names.h"
#include "graph/steer.h"

namespace skald {
namespace {

constexpr int64_t kSamples = 4, kSampleBytes = 64;  // of a weight

void add_text(Digest& digest, std::string_view text) {
  digest.add(fmt::format("{}:", text.size()));
  digest.add(text);
}

template <class T>
void add_number(Digest& digest, const T& x) {
  digest.add(std::as_bytes(std::span(&x, 1)));
}

void add_value(Digest& digest, const std::string& x) { add_text(digest, x); }
void add_value(Digest& digest, const MetaArray& x);
template <class T>
requires std::is_arithmetic_v<T>
void add_value(Digest& digest, T x) { add_number(digest, x); }

void add_value(Digest& digest, const MetaArray& x) {
  add_number(digest, x.items.index());
  add_number(digest, x.size());
  std::visit(
      [&](const auto& items) {
        using Item = typename std::decay_t<decltype(items)>::value_type;
        for (const auto& item : items) add_value(digest, static_cast<const Item&>(item));  // of bools, no bools with libc++
      },
      x.items);
}

// From the first bytes to the last ones.
void add_samples(Digest& digest, std::span<const std::byte> bytes) {
  const int64_t n = std::ssize(bytes), last = std::max<int64_t>(0, n - kSampleBytes);
  for (int64_t i = 0; i < kSamples; ++i)
    digest.add(
        bytes.subspan(static_cast<size_t>(last * i / (kSamples - 1)), static_cast<size_t>(std::min(n, kSampleBytes))));
}

}  // namespace

Sha256Sum meta_sum(const Meta& meta) {
  Digest digest(Digest::Kind::kSha256);
  for (const auto& [key, value] : meta.entries()) {
    add_text(digest, key);
    add_number(digest, value.index());
    std::visit([&](const auto& x) { add_value(digest, x); }, value);
  }
  return sha256_of(std::move(digest));
}

Sha256Sum weight_sum(const WeightSet& weights) {
  Digest digest(Digest::Kind::kSha256);
  std::map<std::string_view, const WeightSet::Weight*> sorted;
  for (const auto& [name, weight] : weights.weights) sorted.emplace(name, &weight);
  for (const auto& [name, weight] : sorted) {
    add_text(digest, name);
    add_text(digest, weight->type->name);
    for (int i = 0; i < weight->shape.rank(); ++i) add_number(digest, weight->shape[i]);
    add_number(digest, weight->bytes);
    const std::span<const std::byte> data(weight->data, weight->data ? static_cast<size_t>(weight->bytes) : 0);
    // Small ones, of which others have the same name, type and shape.
    basis_names::is_basis(name) || is_control_vector(name) ? digest.add(data) : add_samples(digest, data);
    for (const std::span<const std::byte> piece : weight->pieces) add_samples(digest, piece);
  }
  return sha256_of(std::move(digest));
}

}  // namespace skald
