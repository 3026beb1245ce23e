// BatchIds: which of a batch's requests are known, in some 50 bytes each, however long their names are.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace skald::serve {

/// Names a request by its custom_id, or by its line's number where it has none.
std::string batch_name(const std::optional<std::string>& custom_id, int64_t line);

/// Names are compared by the first half of their SHA-256.
class BatchIds {
 public:
  /// Remembers a number with a name that is new; else the number that is remembered with it.
  std::optional<int64_t> add(std::string_view name, int64_t number);
  std::optional<int64_t> find(std::string_view name) const;

 private:
  using Sum = std::array<uint64_t, 2>;
  struct First {
    size_t operator()(const Sum& sum) const { return sum[0]; }
  };
  static Sum sum_of(std::string_view name);

  std::unordered_map<Sum, int64_t, First> known_;
};

}  // namespace skald::serve
