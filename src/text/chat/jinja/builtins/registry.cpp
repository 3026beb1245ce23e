#include "text/chat/jinja/builtins/registry.h"

#include <unordered_map>

namespace skald::jinja {
namespace {

using Table = std::unordered_map<std::string_view, const Builtin*>;

Table table_of(std::initializer_list<std::span<const Builtin>> parts) {
  Table out;
  for (const std::span<const Builtin> part : parts)
    for (const Builtin& builtin : part) out.emplace(builtin.name, &builtin);
  return out;
}

const Builtin* find(const Table& table, std::string_view name) {
  const auto it = table.find(name);
  return it == table.end() ? nullptr : it->second;
}

}  // namespace

const Builtin* find_filter(std::string_view name) {
  static const Table table = table_of({text_filters(), layout_filters(), html_filters(), list_filters(), order_filters(),
                                       map_filters(), number_filters(), value_filters()});
  return find(table, name);
}

const Builtin* find_test(std::string_view name) {
  static const Table table = table_of({value_tests()});
  return find(table, name);
}

}  // namespace skald::jinja
