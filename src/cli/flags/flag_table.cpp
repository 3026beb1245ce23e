#include "cli/flags/flag_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace skald {

std::string DeclaredFlag::long_name(bool off) const {
  for (const Name& name : names)
    if (name.off == off && name.text.starts_with("--")) return name.text;
  return {};
}

std::string DeclaredFlag::shortest_name(bool off) const {
  std::string out;
  for (const Name& name : names)
    if (name.off == off && name.text.starts_with("--") && (out.empty() || name.text.size() < out.size())) out = name.text;
  return out;
}

std::string DeclaredFlag::letter(bool off) const {
  for (const Name& name : names)
    if (name.off == off && name.text.starts_with('-') && !name.text.starts_with("--")) return name.text;
  return {};
}

std::string DeclaredFlag::text() const {
  std::string out;
  for (const Name& name : names) out += (out.empty() ? "" : ",") + name.text;
  return out;
}

std::string_view take_name(std::string_view& names) {
  const size_t comma = std::min(names.find(','), names.size());
  const std::string_view name = names.substr(0, comma);
  names.remove_prefix(std::min(comma + 1, names.size()));
  return name;
}

DeclaredFlag flag_named(std::string_view names) {
  DeclaredFlag flag;
  while (!names.empty()) {
    const std::string_view name = take_name(names);
    const bool off = name.starts_with('!');
    flag.names.push_back({std::string(name.substr(off)), off});
  }
  return flag;
}

DeclaredFlag& FlagTable::add(std::string_view names) { return flags_.emplace_back(flag_named(names)); }

FlagTable::Found FlagTable::find(std::string_view name) const {
  for (const DeclaredFlag& flag : flags_)
    for (const DeclaredFlag::Name& n : flag.names)
      if (n.text == name) return {&flag, n.off};
  return {};
}

const DeclaredFlag* FlagTable::find(const CLI::Option* option) const {
  const auto at = std::ranges::find(flags_, option, &DeclaredFlag::option);
  return at == flags_.end() ? nullptr : &*at;
}

}  // namespace skald
