// KvLayout: how keys lie within a page of the cache. One file per layout in kv/layouts. Values always lie in rows.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "kernels/api/kv_view.h"
#include "tensor/format.h"

namespace skald {

/// A head's keys of one page.
struct KeyPlace {
  int64_t stride;  // bytes between keys or between dimensions
  int64_t bytes;
};

struct KvLayout {
  std::string_view name;
  KeyOrder order;
  /// Whether keys of this format can lie so.
  bool (*holds)(const Format&);
  KeyPlace (*place)(const Format&, int64_t d_k);
};

/// Elements of a cached row: blocks are filled up with zeros.
int64_t kv_columns(const Format& format, int64_t d);

/// All layouts, one per file of kv/layouts (generated).
std::span<const KvLayout* const> kv_layouts();

/// Throws kBadInput listing the known names.
const KvLayout& find_kv_layout(std::string_view name);

/// The layout named, or for "auto" the fastest one. Where it cannot hold the format, another is taken and the log says so.
const KvLayout& choose_kv_layout(const std::string& name, const Format& k_format);

}  // namespace skald
