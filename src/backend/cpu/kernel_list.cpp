#include "backend/cpu/kernel_list.h"

#include "kernels/api/tier.h"

namespace skald {
namespace {

KernelRow row_of(const KernelEntry& entry, std::string_view tier) {
  KernelRow row{.kernel = std::string(entry.kernel), .of = entry.of, .tier = std::string(tier), .function = {}, .file = {}};
  if (const KernelSource* const source = find_kernel_source(tier, entry.kernel, entry.of)) {
    row.function = source->function;
    if (row.function.ends_with('_')) row.function += entry.of;
    row.file = "src/kernels/" + std::string(source->file);
  }
  return row;
}

}  // namespace

std::vector<KernelRow> list_kernels(std::string_view cap) {
  KernelTable table;
  std::vector<KernelEntry> entries = kernel_entries(table);
  std::vector<std::string_view> painters(entries.size());
  for (const Tier* tier : tiers_up_to(cap)) {
    tier->fill(table);
    const std::vector<KernelEntry> painted = kernel_entries(table);
    for (size_t i = 0; i < entries.size(); ++i)
      if (painted[i].function != entries[i].function) painters[i] = tier->name;
    entries = painted;
  }
  std::vector<KernelRow> rows;
  for (size_t i = 0; i < entries.size(); ++i)
    if (entries[i].function) rows.push_back(row_of(entries[i], painters[i]));
  return rows;
}

std::vector<KernelRow> list_kernels() { return list_kernels(isa_from_environment()); }

}  // namespace skald
