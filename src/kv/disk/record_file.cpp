#include "kv/disk/record_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace skald {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::array<char, 8> kMagic = {'s', 'k', 'a', 'l', 'd', 'k', 'v', '2'};
constexpr size_t kSumAt = 56, kTokensAt = 88;

template <class T>
void put(RecordHead& head, size_t at, const T& value) {
  std::memcpy(head.data() + at, &value, sizeof value);
}

Sha256Sum sum_of(const RecordHead& head, std::span<const std::byte> payload) {
  const std::span<const std::byte> all(head);
  return sha256({all.first(kSumAt), all.subspan(kTokensAt), payload});
}

}  // namespace

RecordHead record_head(const RecordName& name, std::span<const TokenId> tokens, std::span<const std::byte> payload) {
  RecordHead head{};
  put(head, 0, kMagic);
  put(head, 8, static_cast<uint64_t>(payload.size()));
  put(head, 16, static_cast<int32_t>(name.part.number));
  put(head, 24, name.key);
  std::memcpy(head.data() + kTokensAt, tokens.data(), tokens.size_bytes());
  put(head, kSumAt, sum_of(head, payload));
  return head;
}

std::optional<std::span<const std::byte>> record_payload(std::span<const std::byte> file, const RecordName& name,
                                                         std::span<const TokenId> tokens) {
  if (std::ssize(file) < kRecordHead) return {};
  const std::span<const std::byte> payload = file.subspan(static_cast<size_t>(kRecordHead));
  // A head that says so of this payload is the one that was written, bit for bit.
  const RecordHead want = record_head(name, tokens, payload);
  if (!std::ranges::equal(file.first(static_cast<size_t>(kRecordHead)), want)) return {};
  return payload;
}

}  // namespace skald
