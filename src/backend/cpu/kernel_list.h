// Which function each entry of the kernel table has on this machine: its tier, its name, and the file that it is in.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/api/kernel_table.h"

namespace skald {

/// One entry of a kernel table.
struct KernelEntry {
  std::string_view kernel;       // "matmul": the table's member
  std::string of;                // its index: "q4_0", "silu" or "int8"; empty for single functions
  void (*function)() = nullptr;  // to be compared only; null where the table has none
};

/// Returns all entries, the empty ones too; of every table the same in the same order.
std::vector<KernelEntry> kernel_entries(const KernelTable& table);

/// Where the tiers' functions are defined.
struct KernelSource {
  std::string_view tier;      // that the rule is for; empty: any
  std::string_view kernel;    // as in KernelEntry
  std::string_view of;        // an index, "blocks" or "floats" of formats with and without scales; empty: any
  std::string_view function;  // a name that ends in "_" goes on with the index: "store_"
  std::string_view file;      // below src/kernels
};

/// The first one that fits counts.
std::span<const KernelSource> kernel_sources();
/// Returns null for a kernel that no rule names.
const KernelSource* find_kernel_source(std::string_view tier, std::string_view kernel, std::string_view of);

/// One function of the table.
struct KernelRow {
  std::string kernel, of, tier, function, file;
};

/// Returns those of the tiers up to `cap`, as in build_kernel_table, which says what it throws; or up to SKALD_ISA.
std::vector<KernelRow> list_kernels(std::string_view cap);
std::vector<KernelRow> list_kernels();

}  // namespace skald
