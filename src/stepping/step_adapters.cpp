#include "stepping/step_adapters.h"

#include <algorithm>

namespace skald {
namespace {

// The rows [first, first + n), which are the item's last ones, from the first token on that a use changes.
AdaptedRows rows_of(const StepItem& item, const AdapterUse& use, int64_t first, int64_t n) {
  const int64_t place = item.kv->length() + std::ssize(item.tokens) - n,
                before = std::clamp<int64_t>(use.from - place, 0, n);
  return {first + before, n - before, use.adapter.get(), use.scale};
}

bool goes_on(const AdaptedRows& a, const AdaptedRows& b) {
  return a.end() == b.first && a.adapter == b.adapter && a.scale == b.scale;
}

// An item that is adapted as the one before it makes its runs longer.
void add(std::vector<AdaptedRows>& out, const StepItem& item, const AdapterMix& mix, int64_t first, int64_t n) {
  if (n == 0) return;
  std::vector<AdaptedRows> own;
  for (const AdapterUse& use : mix.uses)
    if (const AdaptedRows rows = rows_of(item, use, first, n); rows.n > 0) own.push_back(rows);
  const std::span<AdaptedRows> last(out.end() - std::min(std::ssize(out), std::ssize(own)), out.end());
  if (!std::ranges::equal(last, own, goes_on)) {
    out.insert(out.end(), own.begin(), own.end());
    return;
  }
  for (size_t i = 0; i < own.size(); ++i) last[i].n += own[i].n;
}

}  // namespace

void fill_adapters(std::span<const StepItem> items, const AdapterMix& others, StepAdapters& out) {
  out.tokens.clear();
  out.outputs.clear();
  int64_t token = 0, output = 0;
  for (const StepItem& item : items) {
    const AdapterMix& mix = item.adapters ? *item.adapters : others;
    add(out.tokens, item, mix, token, std::ssize(item.tokens));
    add(out.outputs, item, mix, output, item.n_outputs);
    token += std::ssize(item.tokens);
    output += item.n_outputs;
  }
}

}  // namespace skald
