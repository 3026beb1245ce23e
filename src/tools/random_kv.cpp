#include "tools/random_kv.h"

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

}  // namespace

void fill_random_kv(Runner& runner, KvSequence& sequence, int64_t n) {
  if (!sequence.reserve(n)) fail(Errc::kNoMemory, "the KV cache has no room for {} tokens", n);
  const KvSpec& spec = runner.kv_spec();
  const int64_t pages = ceil_div(n, spec.page_keys);
  if (pages == 0) return;
  Rng rng(1);
  std::byte* first = sequence.pages()[0];
  for (size_t l = 0; l < spec.layers.size(); ++l) {
    const KvLayerSpec& layer = spec.layers[l];
    KvView view = runner.layer_view(static_cast<int64_t>(l));
    view.pages = sequence.pages();
    fill_rows(*spec.k_format, rng, layer.n_kv_heads * spec.page_keys, layer.d_k, first + view.k_offset);
    fill_rows(*spec.v_format, rng, layer.n_kv_heads * spec.page_keys, layer.d_v, first + view.v_offset);
  }
  for (int64_t p = 1; p < pages; ++p)
    std::memcpy(sequence.pages()[p], first, static_cast<size_t>(runner.pool().page_bytes()));
  sequence.set_length(n);
}

}  // namespace skald
