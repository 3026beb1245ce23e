// rows: in a page, per layer, K then V, each (n_kv_heads, page_keys, d): a head's keys of a page are one contiguous run.
#include "base/checked.h"
#include "kv/layout.h"

namespace skald {
namespace {

struct LayerBytes {
  int64_t k, v;
};

LayerBytes layer_bytes(const KvSpec& spec, const KvLayerSpec& layer) {
  const int64_t rows = layer.n_kv_heads * spec.page_keys;
  return {round_up(rows * spec.k_format->bytes(layer.d_k), 64), round_up(rows * spec.v_format->bytes(layer.d_v), 64)};
}

int64_t page_bytes(const KvSpec& spec) {
  int64_t total = 0;
  for (const KvLayerSpec& layer : spec.layers) total += layer_bytes(spec, layer).k + layer_bytes(spec, layer).v;
  return total;
}

KvView view(const KvSpec& spec, int64_t layer) {
  int64_t offset = 0;
  for (int64_t i = 0; i < layer; ++i) {
    const LayerBytes bytes = layer_bytes(spec, spec.layers[static_cast<size_t>(i)]);
    offset += bytes.k + bytes.v;
  }
  const KvLayerSpec& l = spec.layers[static_cast<size_t>(layer)];
  KvView view{.page_keys = spec.page_keys, .k_offset = offset, .v_offset = offset + layer_bytes(spec, l).k};
  view.k_row_stride = spec.k_format->bytes(l.d_k);
  view.v_row_stride = spec.v_format->bytes(l.d_v);
  view.k_head_stride = spec.page_keys * view.k_row_stride;
  view.v_head_stride = spec.page_keys * view.v_row_stride;
  view.k_format = spec.k_format->id;
  view.v_format = spec.v_format->id;
  return view;
}

}  // namespace

extern const KvLayout layout_rows;
const KvLayout layout_rows{.name = "rows", .page_bytes = page_bytes, .view = view};

}  // namespace skald
