// InternTable: gives equal lists of numbers one id.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace skald {

/// Lists of T, which is made of integers; ids count from 0, and the empty list is 0.
template <class T>
class InternTable {
 public:
  InternTable() : table_(64) { intern({}); }

  uint32_t intern(std::span<const T> list) {
    const uint64_t hash = hash_of(list);
    for (size_t at = hash & mask();; at = (at + 1) & mask()) {
      if (table_[at] == 0) {
        table_[at] = add(list) + 1;
        const uint32_t id = table_[at] - 1;
        if (ends_.size() * 2 > table_.size()) grow();
        return id;
      }
      const std::span<const T> known = (*this)[table_[at] - 1];
      if (known.size() == list.size() && std::equal(known.begin(), known.end(), list.begin())) return table_[at] - 1;
    }
  }

  std::span<const T> operator[](uint32_t id) const {
    const size_t begin = id == 0 ? 0 : ends_[id - 1];
    return std::span(items_).subspan(begin, ends_[id] - begin);
  }
  size_t size() const { return ends_.size(); }
  size_t memory() const {
    return items_.capacity() * sizeof(T) + ends_.capacity() * sizeof(size_t) + table_.capacity() * sizeof(uint32_t);
  }

 private:
  size_t mask() const { return table_.size() - 1; }
  static uint64_t hash_of(std::span<const T> list) {
    uint64_t h = 0x9E3779B97F4A7C15u;
    for (const T& item : list) {
      h = (h ^ item.hash()) * 0xBF58476D1CE4E5B9u;
      h ^= h >> 29;
    }
    return h;
  }
  uint32_t add(std::span<const T> list) {
    items_.insert(items_.end(), list.begin(), list.end());
    ends_.push_back(items_.size());
    return static_cast<uint32_t>(ends_.size() - 1);
  }
  void grow() {
    table_.assign(table_.size() * 2, 0);
    for (uint32_t id = 0; id < ends_.size(); ++id) {
      size_t at = hash_of((*this)[id]) & mask();
      while (table_[at] != 0) at = (at + 1) & mask();
      table_[at] = id + 1;
    }
  }

  std::vector<T> items_;
  std::vector<size_t> ends_;
  std::vector<uint32_t> table_;  // open addressing: ids + 1
};

}  // namespace skald
