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
  struct Page {
    std::vector<std::byte> bytes;
    PageOrigin origin;
  };
  struct Run {
    IndexRun at;  // without its memory
    std::vector<std::byte> bytes;
  };
  struct Table {
    std::vector<Page> pages;
    std::vector<Run> runs;
    std::vector<std::vector<std::byte>> open;
    int64_t first_open;  // page of positions
    int64_t kept, begin, shift;
  };
  Table save(KvCache& cache, size_t g, const KvSequence::Table& from) const;
  static void load(KvCache& cache, size_t g, const Table& from, KvSequence::Table& to);

  int64_t length_, dropped_, prefix_;
  std::vector<Table> tables_;  // (groups)
  std::vector<std::byte> recurrent_;
  KvRoom need_;
};

}  // namespace skald
