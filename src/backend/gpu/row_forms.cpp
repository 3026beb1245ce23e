#include "backend/gpu/row_forms.h"

#include "backend/scratch.h"
#include "base/checked.h"
#include "kernels/gpu/row_forms.h"
#include "quant/bf16/block.h"
#include "quant/f16/block.h"

namespace skald::gpu {
namespace {

constexpr int64_t kScales = 4, kTileRows = 4;  // of a unit of coded rows; of a tile

/// All forms, and the bytes that they take.
struct Layout {
  Layout(int64_t rows, int64_t columns, std::byte* memory) : scratch(memory) {
    all.units = ceil_div(columns, int64_t{kUnitColumns});
    all.tiles = ceil_div(columns, int64_t{kTileColumns});
    const int64_t units = rows * all.units, tiles = ceil_div(rows, kTileRows) * all.tiles;
    all.coded = {scratch.take<int8_t>(units * kUnitColumns), scratch.take<float>(units * kScales),
                 scratch.take<float>(units * kScales)};
    all.f16 = scratch.take<std::byte>(tiles * kTileBytes);
    all.bf16 = scratch.take<std::byte>(tiles * kTileBytes);
  }
  Scratch scratch;
  RowForms all;
};

}  // namespace

FormSet form_of(uint32_t format) {
  if (format == BlockF16::kId) return kF16Form;
  return format == BlockBf16::kId ? kBf16Form : kCodedForm;
}

int64_t row_forms_bytes(int64_t rows, int64_t columns) { return Layout(rows, columns, nullptr).scratch.used(); }

RowForms row_forms(FormSet set, int64_t rows, int64_t columns, std::byte* memory) {
  RowForms out = Layout(rows, columns, memory).all;
  if (!(set & kCodedForm)) out.coded = {};
  if (!(set & kF16Form)) out.f16 = nullptr;
  if (!(set & kBf16Form)) out.bf16 = nullptr;
  return out;
}

std::vector<FormPlan> plan_forms(std::span<const FormUse> uses) {
  std::vector<FormPlan> plans(uses.size());
  FormUse there;  // what the memory holds after an operation
  for (size_t i = 0; i < uses.size(); ++i) {
    const FormUse& use = uses[i];
    if (use.wanted) {
      if (use.value != there.value || use.columns != there.columns) there = {.value = use.value, .columns = use.columns};
      plans[i].made = there.wanted;
      there.wanted |= use.wanted;
    }
    if (use.makes < 0) continue;
    for (const FormUse& next : uses.subspan(i + 1)) {
      if (!next.wanted) continue;
      if (next.value != use.makes || next.columns != use.columns_of_made) break;
      plans[i].make |= next.wanted;
    }
    if (plans[i].make) there = {.value = use.makes, .columns = use.columns_of_made, .wanted = plans[i].make};
  }
  return plans;
}

}  // namespace skald::gpu
