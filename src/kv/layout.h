// KvLayout: how keys lie within a page of the cache. One file per layout in kv/layouts. Values lie in rows, or where a
// device reads them, in planes.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "kernels/api/kv_view.h"
#include "tensor/format.h"

namespace skald {

/// A head's keys or values of one page.
struct KeyPlace {
  int64_t stride;  // bytes between keys, their codes or dimensions
  int64_t bytes;
  // Of planes: bytes before the first key's scales, and between those of keys.
  int64_t scales = 0, scale_stride = 0;
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

/// The layout named, or for "auto" the fastest one of the CPU or of a device. Where it cannot hold the format, or a device
/// does not read the format so, another is taken and the log says so. Throws kUnsupported for planes on the CPU.
const KvLayout& choose_kv_layout(const std::string& name, const Format& k_format, bool device);

/// How values lie.
const KvLayout& value_layout(const Format& v_format, bool device);

}  // namespace skald
