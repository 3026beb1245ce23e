#include "kv/static_manager.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "base/error.h"

namespace skald {

StaticKvManager::StaticKvManager(StaticKvSpec spec) : spec_(std::move(spec)), memory_(static_kv_size(spec_).bytes) {
  groups_.reserve(2 * spec_.layers.size());
  for (const AttentionState& layer : spec_.layers) {
    add_group(layer.n_kv_heads, layer.d_k);
    add_group(layer.n_kv_heads, layer.d_v);
  }
  SKALD_ASSERT(end_ == memory_.size());
}

void StaticKvManager::add_group(int64_t heads, int64_t d) {
  const Group& g = groups_.emplace_back(Group{end_, heads, static_reserve_bytes(spec_, d), d * spec_.element_bytes});
  end_ += g.heads * g.reserve_bytes;
}

StaticWindow StaticKvManager::window(int64_t group, int64_t head) const {
  SKALD_ASSERT(group >= 0 && group < std::ssize(groups_));
  const Group& g = groups_[static_cast<size_t>(group)];
  SKALD_ASSERT(head >= 0 && head < g.heads);
  std::byte* const input = memory_.data() + g.offset + head * g.reserve_bytes + start_ * g.row_bytes;
  return {.input = input,
          .output = input + spec_.window_rows() * g.row_bytes,
          .row_bytes = g.row_bytes,
          .head_stride = g.reserve_bytes};
}

void StaticKvManager::append(int64_t n) {
  if (n < 1 || n > spec_.window_rows())
    fail(Errc::kBadInput, "static KV cache: {} tokens at once: want 1 to {}", n, spec_.window_rows());
  shift(n, n);
}

void StaticKvManager::shift(int64_t n, int64_t unwritten) {
  start_ += n;
  counters_.tokens += n;
  counters_.shifts += 1;
  if (start_ < spec_.spare_rows()) return;
  copy_back(spec_.window_rows() - valid_rows(), valid_rows() - unwritten);
  start_ = 0;
}

// Padding needs no copy. While there is any, no row before the oldest token's was ever written: these are still zero.
void StaticKvManager::copy_back(int64_t first, int64_t n) {
  if (n == 0) return;
  for (const Group& g : groups_) {
    for (int64_t head = 0; head < g.heads; ++head) {
      std::byte* const to = memory_.data() + g.offset + head * g.reserve_bytes + first * g.row_bytes;
      std::memmove(to, to + start_ * g.row_bytes, static_cast<size_t>(n * g.row_bytes));
    }
    counters_.copied_bytes += g.heads * n * g.row_bytes;
  }
  counters_.copies += 1;
}

// Rows after the first window are always written before a window reaches them.
void StaticKvManager::reset() {
  if (counters_.tokens == 0) return;
  for (const Group& g : groups_)
    for (int64_t head = 0; head < g.heads; ++head)
      std::memset(memory_.data() + g.offset + head * g.reserve_bytes, 0,
                  static_cast<size_t>(spec_.window_rows() * g.row_bytes));
  start_ = 0;
  counters_ = {};
}

int64_t StaticKvManager::valid_rows() const { return std::min(counters_.tokens, spec_.window_rows()); }

}  // namespace skald
