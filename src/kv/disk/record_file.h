// The file of a record: a head that names it, its tokens, its bytes, and a checksum over all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kv/disk/record_name.h"

namespace skald {

/// Bytes before the payload: "skaldkv" and a version, the payload's length (u64) and the part (i32, then zeros), the page's
/// key, SHA-256 of all the rest, and the page's tokens (i32 each); numbers are little-endian.
inline constexpr int64_t kRecordHead = 8 + 8 + 8 + 32 + 32 + kPageKeys * int64_t{sizeof(TokenId)};
using RecordHead = std::array<std::byte, static_cast<size_t>(kRecordHead)>;

/// Before the payload. `tokens`: the page's.
RecordHead record_head(const RecordName& name, std::span<const TokenId> tokens, std::span<const std::byte> payload);

/// The payload of a file, which may hold anything; none where it is not this record, of these tokens, as it was written.
std::optional<std::span<const std::byte>> record_payload(std::span<const std::byte> file, const RecordName& name,
                                                         std::span<const TokenId> tokens);

}  // namespace skald
