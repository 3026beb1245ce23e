#include "kv/layout.h"

#include <string>

#include "base/error.h"
#include "quant/registry.h"

namespace skald {
namespace {

const Format* kv_format(const std::string& name, const char* what) {
  const Format* format = find_format(name);
  if (format != &format_f32 && format != &format_f16)
    fail(Errc::kBadInput, "{}: '{}' is not a KV cache type; known: f32, f16", what, name);
  return format;
}

}  // namespace

KvSpec make_kv_spec(std::vector<KvLayerSpec> layers, const std::string& k_type, const std::string& v_type) {
  return {.layers = std::move(layers),
          .k_format = kv_format(k_type, "cache-type-k"),
          .v_format = kv_format(v_type, "cache-type-v")};
}

const KvLayout& find_kv_layout(std::string_view name) {
  std::string known;
  for (const KvLayout* layout : kv_layouts()) {
    if (layout->name == name) return *layout;
    known += (known.empty() ? "" : ", ") + std::string(layout->name);
  }
  fail(Errc::kBadInput, "unknown KV layout '{}'; known: {}", name, known);
}

}  // namespace skald
