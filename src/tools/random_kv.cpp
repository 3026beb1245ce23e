#include "tools/random_kv.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/checked.h"
#include "base/error.h"
#include "base/rng.h"

namespace skald {
namespace {

// Encoded rows of `d` numbers in (-1, 1), `rows` of them, at `out`.
void fill_rows(const Format& format, Rng& rng, int64_t rows, int64_t d, std::byte* out) {
  std::vector<float> row(static_cast<size_t>(d));
  for (int64_t r = 0; r < rows; ++r, out += format.bytes(d)) {
    for (float& x : row) x = static_cast<float>(2 * rng.uniform() - 1);
    format.encode(row.data(), out, d);
  }
}

// As if n keys had been appended, in steps that the cache has room for.
void lengthen(KvSequence& sequence, int64_t n, int64_t step) {
  while (sequence.length() < n) {
    const int64_t to = std::min(n, sequence.length() + step);
    if (!sequence.reserve(to)) {
      sequence.truncate(0);
      fail(Errc::kNoMemory, "the KV cache has no room for {} tokens", n);
    }
    sequence.set_length(to);
  }
}

}  // namespace

void fill_random_kv(Runner& runner, KvSequence& sequence, int64_t n) {
  const KvSpec& spec = runner.kv().spec();
  lengthen(sequence, n, runner.kv().limits().max_rows);
  if (n == 0) return;
  Rng rng(1);
  for (const KvGroup& group : spec.groups) {
    std::byte* first = sequence.view(group.layers[0]).pages[0];
    for (int64_t l : group.layers) {
      const KvLayerSpec& layer = spec.layers[static_cast<size_t>(l)];
      const KvView view = sequence.view(l);
      // Formats without blocks have the same numbers in any order of keys and dimensions.
      for (int64_t head = 0; head < layer.n_kv_heads; ++head) {
        fill_rows(*spec.k_format, rng, kPageKeys, kv_columns(*spec.k_format, layer.d_k), view.k_page(head, 0));
        fill_rows(*spec.v_format, rng, kPageKeys, kv_columns(*spec.v_format, layer.d_v), view.v_row(head, 0));
      }
    }
    const KvView view = sequence.view(group.layers[0]);
    for (int64_t p = 1; p * kPageKeys < n - view.shift; ++p)
      std::memcpy(view.pages[p], first, static_cast<size_t>(group.page_bytes));
  }
}

}  // namespace skald
