#include "loading/weight_set.h"

#include <algorithm>
#include <map>

#include "base/error.h"
#include "tensor/finite.h"

namespace skald {

std::optional<TensorDesc> WeightSet::find(std::string_view name) const {
  const auto it = weights.find(std::string(name));
  if (it == weights.end()) return std::nullopt;
  const Format* format = format_of(*it->second.type);
  if (!format) fail(Errc::kUnsupported, "tensor {}: type {} is not supported", name, it->second.type->name);
  return TensorDesc{format, it->second.shape};
}

WeightPlace WeightSet::place(std::string_view name) const {
  const Weight& w = weights.at(std::string(name));
  return w.type->panels ? WeightPlace(nullptr, w.data) : WeightPlace(w.data);
}

void WeightSet::want_finite_small_ones() const {
  constexpr int64_t kSmall = 1 << 20;
  for (const auto& [name, w] : weights) {
    const Format* format = format_of(*w.type);
    if (!format || w.type->panels || (w.shape.rank() > 1 && w.bytes > kSmall)) continue;
    const std::span<const std::byte> whole(w.data, static_cast<size_t>(w.bytes));
    for (const std::span<const std::byte> piece : w.pieces.empty() ? std::vector{whole} : w.pieces)
      want_finite(name, *format, piece, w.shape.back());
  }
}

int64_t WeightSet::parameters() const {
  int64_t sum = 0;
  for (const auto& [name, w] : weights) sum += w.shape.elements();
  return sum;
}

int64_t WeightSet::bytes() const {
  int64_t sum = 0;
  for (const auto& [name, w] : weights) sum += w.bytes;
  return sum;
}

std::string WeightSet::main_format() const {
  std::map<std::string_view, int64_t> elements;
  for (const auto& [name, w] : weights) elements[w.type->name] += w.shape.elements();
  const auto most = std::ranges::max_element(elements, {}, [](const auto& e) { return e.second; });
  return most == elements.end() ? "none" : std::string(most->first);
}

}  // namespace skald
