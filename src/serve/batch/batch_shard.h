// BatchShard: a part of a batch that a process of its own answers, on this machine or another one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace skald::serve {

/// The shards of a batch have neighbouring requests each, of which many often begin alike, and as many as each other but for
/// one.
struct BatchShard {
  int64_t index = 0, count = 1;  // from 0

  static constexpr int64_t kMost = 1'000'000;

  /// Requests [first, end) are its own, counted from 0, of this many.
  int64_t first(int64_t requests) const { return requests * index / count; }
  int64_t end(int64_t requests) const { return requests * (index + 1) / count; }
  /// Names its part of a file: "answers.jsonl" becomes "answers.0-of-8.jsonl".
  std::string file(const std::string& whole) const;
};

/// Reads "0/8". Throws Error (kBadInput).
BatchShard read_batch_shard(std::string_view text);

}  // namespace skald::serve
