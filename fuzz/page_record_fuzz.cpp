// Fuzzes what is read from the disk tier's folder: names of files, files, and payloads that go into pages. Whatever the
// bytes are, they are refused or become a page whose bytes are read back as they were; attention's invariants hold.
//
// Input: a byte that chooses a cache, a part and a position; then a payload, or a file and its name.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "kv/disk/record_file.h"
#include "kv/page_bytes.h"

namespace {

using namespace skald;

constexpr int64_t kMaxKeys = 4096;

KvSpec spec(int kind) {
  std::vector<StateSpec> slots = {AttentionState{.n_kv_heads = 2, .d_k = 4, .d_v = 4}};
  if (kind & 1) slots.emplace_back(AttentionState{.n_kv_heads = 1, .d_k = 4, .d_v = 4, .window = 100});
  if (kind & 2) slots.emplace_back(RecurrentState{3});
  KvStorage storage{.k_type = "f32", .v_type = "f32", .layout = "rows"};
  if (kind & 4) {
    storage.index = KeyIndex::kInt8;
    storage.value_sums = storage.page_bounds = true;
  }
  return make_kv_spec(std::move(slots), storage, kMaxKeys);
}

const std::vector<TokenId>& tokens() {
  static const std::vector<TokenId> kTokens = [] {
    std::vector<TokenId> out(kPageKeys);
    std::iota(out.begin(), out.end(), 0);
    return out;
  }();
  return kTokens;
}

void into_pages(int kind, RecordPart part, int64_t page, std::span<const std::byte> bytes) {
  KvCache cache(spec(kind), {.max_keys = kMaxKeys, .max_rows = kMaxKeys});
  KvSequence kv(cache);
  const int64_t first = page * kPageKeys;
  if (!kv.reserve(first)) std::abort();
  kv.set_length(first);
  if (!kv.reserve(first + kPageKeys)) std::abort();
  // A payload of the right length, of the input again and again.
  std::vector<std::byte> payload(static_cast<size_t>(payload_bytes(cache, part, first)));
  for (size_t i = 0; i < payload.size() && !bytes.empty(); ++i) payload[i] = bytes[i % bytes.size()];
  if (std::ssize(bytes) != std::ssize(payload) && SequenceBytes::write(kv, part, bytes)) std::abort();
  if (!SequenceBytes::write(kv, part, payload) || part.number == RecordPart::kCheckpoint) return;
  SequenceBytes::end_page(kv);
  const auto back = read_page(cache, kv.share(first, first + kPageKeys), part, {ReusePolicy::Keys::kAll});
  if (!back || back->size() != payload.size()) std::abort();
  // Sums that are none are left out, and a flag of each group becomes 0 or 1; the rest is as it was.
  size_t changed = 0;
  for (size_t i = 0; i < payload.size(); ++i) changed += (*back)[i] != payload[i];
  if (!(kind & 4) && changed > 2 * sizeof(uint32_t)) std::abort();
}

void as_file(std::span<const std::byte> bytes) {
  const std::string name(reinterpret_cast<const char*>(bytes.data()), std::min<size_t>(bytes.size(), 90));
  if (const auto record = record_named(name); record && file_name(*record) != name) std::abort();
  const RecordName mine{root_key({}, "x"), {}};
  if (record_payload(bytes, mine, tokens())) std::abort();  // nobody finds a sum by chance
  const RecordHead head = record_head(mine, tokens(), bytes);
  std::vector<std::byte> file(head.begin(), head.end());
  file.insert(file.end(), bytes.begin(), bytes.end());
  const auto payload = record_payload(file, mine, tokens());
  if (!payload || !std::ranges::equal(*payload, bytes)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::span<const std::byte> bytes(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
  const int kind = data[0] & 7, part = (data[0] >> 3 & 3) - 2;
  as_file(bytes);
  const bool has_window = kind & 1;
  if (part == 1 || (part == 0 && !has_window)) return 0;  // a group that there is not
  // The window's group comes second.
  into_pages(kind, {part == 0 ? 1 : part}, data[0] >> 5, bytes);
  return 0;
}
