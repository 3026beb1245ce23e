#include "cli/flags/table_flags.h"

#include <fmt/format.h>

#include "cli/flags/values.h"
#include "sampling/number_table.h"

namespace skald {
namespace {

// "--cache-type-k (-ctk)"
std::string spelled(const DeclaredFlag& flag) {
  const std::string letter = flag.letter();
  return letter.empty() ? flag.shortest_name() : fmt::format("{} ({})", flag.shortest_name(), letter);
}

bool has_name(std::string_view names, std::string_view flag) {
  while (!names.empty())
    if (take_name(names) == flag) return true;
  return false;
}

void add_fields(const OptionRow& row, std::vector<FieldFlag>& out) {
  const std::string field(row.field);
  if (!row.spelled.empty()) return out.push_back({.field = field, .flag = std::string(row.spelled)});
  if (!row.flags) return;
  const DeclaredFlag flag = flag_named(row.flags);
  if (!flag.long_name().empty()) out.push_back({.field = field, .flag = spelled(flag)});
  if (const std::string off = flag.long_name(true); !off.empty()) out.push_back({.field = field + " = false", .flag = off});
}

}  // namespace

void offer_values(Flags& flags, const OptionRow& row) {
  if (!row.offered.empty()) flags.offer(comma_list(row.flags, row.offered));
}

void add_options(Flags& flags, OptionGroup group, EngineOptions& options) {
  for (const OptionRow& row : option_rows())
    if (row.group == group)
      visit_place(row, [&](auto place) {
        auto& value = value_at(options, place);
        if constexpr (!std::is_same_v<decltype(value), double&>) add_option(flags, row.field, value);
      });
}

std::string_view table_variable(std::string_view flag) {
  for (const SamplingNumber& number : sampling_numbers())
    if (!number.variable.empty() && has_name(number.flags, flag)) return number.variable;
  for (const OptionRow& row : option_rows())
    if (!row.variable.empty() && has_name(row.flags, flag)) return row.variable;
  return {};
}

std::vector<FieldFlag> table_fields() {
  std::vector<FieldFlag> out;
  for (const SamplingNumber& number : sampling_numbers())
    if (number.flags) out.push_back({.field = number.path(), .flag = spelled(flag_named(number.flags))});
  for (const OptionRow& row : option_rows()) add_fields(row, out);
  return out;
}

}  // namespace skald
