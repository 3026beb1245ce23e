// Model files in shards: their names, and the keys that each must have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/meta.h"

namespace skald::gguf {

/// "<prefix>-00002-of-00005.gguf": number 2, count 5.
struct ShardName {
  std::string prefix;
  int64_t number, count;

  /// The path of a shard, 1 to count.
  std::string path(int64_t which) const;
};

/// Returns nullopt when `path` does not end like a shard's name. The numbers are not checked.
std::optional<ShardName> parse_shard_name(std::string_view path);

/// Throws kBadFile unless the keys split.no and split.count say that this is shard `number` of `count`. They may be absent
/// where there is only one shard.
void check_shard(const Meta& meta, int64_t number, int64_t count);

/// Throws kBadFile unless split.tensors.count of shard `number`, which only the first must have, is `tensors`.
void check_tensor_count(const Meta& meta, int64_t number, int64_t tensors);

/// Throws kBadFile for a file that is one shard of several by its keys, but not by its name.
void refuse_lone_shard(const Meta& meta);

/// Returns a copy without the keys split.*.
Meta without_split_keys(const Meta& meta);

}  // namespace skald::gguf
