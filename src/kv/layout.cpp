#include "kv/layout.h"

#include <string>

#include "base/error.h"

namespace skald {

const KvLayout& find_kv_layout(std::string_view name) {
  std::string known;
  for (const KvLayout* layout : kv_layouts()) {
    if (layout->name == name) return *layout;
    known += (known.empty() ? "" : ", ") + std::string(layout->name);
  }
  fail(Errc::kBadInput, "unknown KV layout '{}'; known: {}", name, known);
}

}  // namespace skald
