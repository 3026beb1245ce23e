// SavedSequence: a sequence's states in memory of their own, so that its pages can go to others until it goes on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kv/sequence.h"

namespace skald {

class SavedSequence {
 public:
  explicit SavedSequence(const KvSequence& from);

  /// What restore() takes.
  const KvRoom& need() const { return need_; }
  /// `to`, a sequence of the same cache, becomes what was saved, bit for bit; false, and nothing changes, when a pool has
  /// too little. Throws kNoMemory.
  [[nodiscard]] bool restore(KvSequence& to) const;

  int64_t length() const { return length_; }
  int64_t bytes() const;

 private:
  using Bytes = std::vector<std::byte>;  // of all shards of the memory, one after the other
  struct Page {
    Bytes bytes;
    PageOrigin origin;
  };
  struct Run {
    IndexRun at;  // without its memory
    Bytes bytes;
  };
  struct Table {
    std::vector<Page> pages;
    std::vector<Run> runs;
    std::vector<Bytes> open;
    int64_t first_open;  // page of positions
    int64_t kept, begin, shift;
  };
  Table save(KvCache& cache, size_t g, const KvSequence::Table& from) const;
  static void read(KvCache& cache, size_t g, const KvSequence::Table& from, size_t shard, Table& to);
  static void load(KvCache& cache, size_t g, const Table& from, KvSequence::Table& to);
  static void write(KvCache& cache, size_t g, const Table& from, size_t shard, const KvSequence::Table& to);

  int64_t length_, dropped_, prefix_;
  std::vector<Table> tables_;  // (groups)
  Bytes recurrent_;
  KvRoom need_;
};

}  // namespace skald
