// RecordIndex: which records a folder holds, how large they are, and which was used least recently.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "kv/disk/record_name.h"

namespace skald {

class RecordIndex {
 public:
  /// In place of what was there. `used`: any clock that does not go back. Where it throws the record is not there.
  void put(const RecordName& name, int64_t bytes, int64_t used);
  void erase(const RecordName& name);
  /// Harmless for what is not there. Takes no memory.
  void use(const RecordName& name, int64_t used);

  bool has(const RecordName& name) const { return records_.contains(name); }
  /// Of its file; 0 for what is not there.
  int64_t bytes(const RecordName& name) const;
  struct Age {
    int64_t used;
    RecordName name;
    std::strong_ordering operator<=>(const Age&) const = default;
  };
  /// None where there are no records.
  std::optional<Age> oldest() const;
  /// In no order.
  std::vector<RecordName> names() const;

  int64_t pages() const { return pages_; }  // records of pages
  int64_t bytes() const { return bytes_; }  // of all

 private:
  struct Record {
    int64_t bytes, used;
  };

  std::unordered_map<RecordName, Record, RecordNameHash> records_;
  std::set<Age> by_age_;
  int64_t pages_ = 0, bytes_ = 0;
};

}  // namespace skald
