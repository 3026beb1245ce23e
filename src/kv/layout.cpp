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

const KvLayout& value_layout(const Format& v_format, bool device) {
  return find_kv_layout(device && v_format.block > 1 ? "planes" : "rows");
}

static const KvLayout& fastest_layout(const Format& k_format, bool device) {
  return device || k_format.block > 1 ? value_layout(k_format, device) : find_kv_layout("dims");
}

const KvLayout& choose_kv_layout(const std::string& name, const Format& k_format, bool device) {
  const KvLayout& fastest = fastest_layout(k_format, device);
  if (name == "auto") return fastest;
  const KvLayout& wanted = find_kv_layout(name);
  if (wanted.order == KeyOrder::kPlanes && !device)
    fail(Errc::kUnsupported, "cache.layout: {}: the CPU reads no keys so; it reads rows and dims", name);
  const bool is_read = (wanted.order == KeyOrder::kPlanes) == (fastest.order == KeyOrder::kPlanes);
  if (wanted.holds(k_format) && is_read) return wanted;
  log(LogLevel::kWarn, "{} keys cannot lie in {}{}; taking {}", k_format.name, name, device ? " on a device" : "",
      fastest.name);
  return fastest;
}

}  // namespace skald
