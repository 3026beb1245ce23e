// The kernel table as a report: which function each entry has on this machine.
#pragma once

#include <string>
#include <string_view>

#include "tools/report/table.h"

namespace skald {

/// entry, tier, function, file: of the entries, tiers, functions and files that `word` is a part of; empty: all.
/// Throws kBadInput when it is a part of none. SKALD_ISA caps the tiers.
Table kernels_report(std::string_view word);

/// Its rows as a list of objects, whose keys are the header.
std::string kernels_json(const Table& table);

}  // namespace skald
