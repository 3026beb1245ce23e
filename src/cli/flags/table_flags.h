// Flags of the rows of two tables: sampling/number_table.h and stepping/option_table.h.
#pragma once

#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "cli/flags/flags.h"
#include "stepping/option_table.h"

namespace skald {

/// Offers the values of a row to shells, for the flag that was declared last.
void offer_values(Flags& flags, const OptionRow& row);

/// Declares the flag of an option. `help` replaces the row's.
template <class T>
void add_option(Flags& flags, std::string_view field, T& value, const char* help = nullptr) {
  const OptionRow& row = option_row(field);
  if (!help) help = row.help;
  if constexpr (!std::is_same_v<T, bool>) {
    if (row.kind) {
      flags.add(row.flags, value, help, row.kind);
      return offer_values(flags, row);
    }
  }
  flags.add(row.flags, value, help);
  offer_values(flags, row);
}

/// Declares the flags of a group, which set `options`.
void add_options(Flags& flags, OptionGroup group, EngineOptions& options);

/// Tells llama.cpp's variable of the environment for a flag; empty: the tables have none.
std::string_view table_variable(std::string_view flag);

/// A field of the library and the flag that sets it.
struct FieldFlag {
  std::string field;  // or a field and the value that the flag gives it: "device.fused = false"
  std::string flag;   // "--cache-type-k (-ctk)"
};
/// Lists those of both tables.
std::vector<FieldFlag> table_fields();

}  // namespace skald
