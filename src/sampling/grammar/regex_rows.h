// RegexRows: the transitions of a lazily built automaton. A state's row has a target for each class of bytes that it treats
// alike; which bytes those are is a partition, which many states share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "sampling/grammar/byte_set.h"

namespace skald {

struct BytePartition {
  std::array<uint8_t, 256> of{};     // class of each byte, numbered by the first byte that has it
  std::array<uint8_t, 256> first{};  // a byte of each class
  size_t count = 1;
};

class RegexRows {
 public:
  using Id = uint32_t;

  RegexRows();

  /// One class; two classes.
  Id trivial() const { return 0; }
  Id partition(const ByteSet& set);
  /// Bytes are alike if they are alike in all of these.
  Id common(std::span<const Id> partitions);
  const BytePartition& partition(Id id) const { return partitions_[id]; }

  /// A row with a target for each class of the partition; its number.
  uint32_t add(Id partition, std::span<const uint32_t> targets);
  const BytePartition& classes(uint32_t row) const { return partitions_[rows_[row].partition]; }
  Id partition_of(uint32_t row) const { return rows_[row].partition; }
  std::span<uint32_t> targets(uint32_t row) { return std::span(targets_).subspan(rows_[row].targets, classes(row).count); }
  uint32_t target(uint32_t row, uint8_t byte) const {
    const Row& r = rows_[row];
    return targets_[r.targets + partitions_[r.partition].of[byte]];
  }
  /// Whether targets without any text were replaced by nothing.
  bool pruned(uint32_t row) const { return rows_[row].pruned; }
  void set_pruned(uint32_t row) { rows_[row].pruned = true; }

  size_t memory() const;

 private:
  struct Row {
    uint32_t targets;
    Id partition;
    bool pruned = false;
  };
  Id intern(const BytePartition& partition);
  void refine(BytePartition& partition, const BytePartition& by);

  std::vector<BytePartition> partitions_;
  std::unordered_multimap<size_t, Id> by_hash_;
  std::vector<Row> rows_;
  std::vector<uint32_t> targets_;
  std::vector<uint16_t> new_class_;  // kept to save allocations
};

}  // namespace skald
