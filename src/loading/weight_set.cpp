#include "loading/weight_set.h"

#include <algorithm>
#include <map>

#include "base/error.h"

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
