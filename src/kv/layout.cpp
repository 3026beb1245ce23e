#include "kv/layout.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/log.h"

namespace skald {

int64_t kv_columns(const Format& format, int64_t d) { return round_up(d, format.block); }

const KvLayout& find_kv_layout(std::string_view name) {
  std::string known;
  for (const KvLayout* layout : kv_layouts()) {
    if (layout->name == name) return *layout;
    known += ", " + std::string(layout->name);
  }
  fail(Errc::kBadInput, "cache.layout: unknown layout '{}'; known: auto{}", name, known);
}

const KvLayout& choose_kv_layout(const std::string& name, const Format& k_format) {
  const KvLayout& wanted = find_kv_layout(name == "auto" ? "dims" : name);
  if (wanted.holds(k_format)) return wanted;
  if (name != "auto") log(LogLevel::kWarn, "{} keys cannot lie in {}; taking rows", k_format.name, name);
  return find_kv_layout("rows");
}

}  // namespace skald
