// KvLayout: how keys and values lie within a page of the cache. One file per layout in kv/layouts.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/api/kv_view.h"
#include "tensor/format.h"
#include "tensor/kv_spec.h"

namespace skald {

/// The cache of a whole model. A page holds `page_keys` consecutive keys of one sequence, for all layers.
struct KvSpec {
  std::vector<KvLayerSpec> layers;
  const Format* k_format = nullptr;
  const Format* v_format = nullptr;
  int64_t page_keys = 64;
};

struct KvLayout {
  std::string_view name;
  int64_t (*page_bytes)(const KvSpec&);
  /// The layer's place in a page; `pages` is left for the sequence to fill in.
  KvView (*view)(const KvSpec&, int64_t layer);
};

/// All layouts, one per file of kv/layouts (generated).
std::span<const KvLayout* const> kv_layouts();

/// A cache of these layers; throws kBadInput for a type that keys or values cannot have.
KvSpec make_kv_spec(std::vector<KvLayerSpec> layers, const std::string& k_type, const std::string& v_type);

/// Throws kBadInput listing the known names.
const KvLayout& find_kv_layout(std::string_view name);

}  // namespace skald
