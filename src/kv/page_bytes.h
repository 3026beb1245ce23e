// What a prompt's page holds, as bytes outside the cache: what the disk tier and saved sessions are made of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kv/disk/record_name.h"
#include "kv/sequence.h"

namespace skald {

/// What a record of this part of the page that begins at `first` takes; the same for every sequence of the cache.
int64_t payload_bytes(const KvCache& cache, RecordPart part, int64_t first);

/// A part of a full page's memory, without what comes with a checkpoint: how the keys were made, keys, values, and what an
/// index keeps of them. None where it is not there, or has keys that `reuse` does not take.
std::optional<std::vector<std::byte>> read_page(const KvCache& cache, const SharedPages& page, RecordPart part,
                                                const ReusePolicy& reuse = {});

/// Takes pages apart and puts them together: what only a sequence as a whole has.
class SequenceBytes {
 public:
  /// What a sequence that ends at a page's border has besides its pages; none where some of it is gone.
  static std::optional<std::vector<std::byte>> read_checkpoint(const KvSequence& kv);
  /// Into the page after the last token, for which there is room (KvSequence::reserve). False where the bytes cannot be
  /// those of the part; the page is then of no use.
  [[nodiscard]] static bool write(KvSequence& kv, RecordPart part, std::span<const std::byte> bytes);
  /// The sequence has the page all of whose parts were written: its keys are as old as these say.
  static void end_page(KvSequence& kv);

 private:
  // Of one shard, whose bytes are taken off the span.
  static bool read_checkpoint(const KvSequence& kv, size_t shard, std::span<std::byte>& left);
  static void write_shard(KvSequence& kv, RecordPart part, size_t shard, std::span<const std::byte>& bytes);
  static bool write_checkpoint(KvSequence& kv, size_t shard, std::span<const std::byte>& bytes);
};

/// The records that a sequence of `end` tokens needs of its page that begins at `first`, in the order in which they are
/// written: kPage first.
std::vector<RecordPart> parts_of(const KvCache& cache, int64_t first, int64_t end);

}  // namespace skald
