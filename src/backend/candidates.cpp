#include "backend/candidates.h"

#include "base/checked.h"
#include "quant/registry.h"

namespace skald {

PageSet whole_pages(const KeyWindow& window, const KvView& kv, int64_t position) {
  const int64_t n = position + 1, end = n / kPageKeys;
  const bool dropped = kv.begin + kv.shift > kv.kept;
  const int64_t first = window.size ? window.begin(n) : dropped ? kv.begin + kv.shift : 0;
  const int64_t begin = ceil_div(std::max<int64_t>(first, 0), kPageKeys), kept = std::min(kv.kept / kPageKeys, end);
  if (begin <= kept) return {0, 0, end};
  return {kept, begin, std::max(begin, end)};
}

KeySize key_size(const Attention& a, const KvView& kv) {
  const auto bytes = [](uint32_t format) { return find_format(format)->bytes_per_number(); };
  const bool coded = kv.k_codes != KeyCodes::kNone;
  const double key = coded ? CodedPage::bytes_per_number(kv.k_codes) : bytes(kv.k_format);
  const bool indexed = kv.index.kind != KeyIndex::kNone;
  const double component = indexed ? IndexColumns::bytes_per_key(kv.index.kind) : key;
  return {a.d_k, a.d_v, key, bytes(kv.v_format), component, a.basis};
}

}  // namespace skald
