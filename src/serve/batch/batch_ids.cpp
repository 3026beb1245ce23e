#include "serve/batch/batch_ids.h"

#include <fmt/format.h>

#include <cstring>
#include <span>

#include "base/digest.h"

namespace skald::serve {

std::string batch_name(const std::optional<std::string>& custom_id, int64_t line) {
  return custom_id ? "id " + *custom_id : fmt::format("line {}", line);
}

BatchIds::Sum BatchIds::sum_of(std::string_view name) {
  const Sha256Sum whole = sha256({std::as_bytes(std::span(name))});
  Sum out;
  std::memcpy(out.data(), whole.data(), sizeof out);
  return out;
}

std::optional<int64_t> BatchIds::add(std::string_view name, int64_t number) {
  const auto [at, added] = known_.emplace(sum_of(name), number);
  return added ? std::nullopt : std::optional(at->second);
}

std::optional<int64_t> BatchIds::find(std::string_view name) const {
  const auto at = known_.find(sum_of(name));
  return at == known_.end() ? std::nullopt : std::optional(at->second);
}

}  // namespace skald::serve
