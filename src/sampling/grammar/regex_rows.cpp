#include "sampling/grammar/regex_rows.h"

#include <string_view>

namespace skald {

RegexRows::RegexRows() { intern(BytePartition{}); }

RegexRows::Id RegexRows::intern(const BytePartition& partition) {
  const std::string_view bytes(reinterpret_cast<const char*>(partition.of.data()), partition.of.size());
  const size_t hash = std::hash<std::string_view>{}(bytes);
  for (auto [at, end] = by_hash_.equal_range(hash); at != end; ++at) {
    if (partitions_[at->second].of == partition.of) return at->second;
  }
  partitions_.push_back(partition);
  const auto id = static_cast<Id>(partitions_.size() - 1);
  by_hash_.emplace(hash, id);
  return id;
}

RegexRows::Id RegexRows::partition(const ByteSet& set) {
  BytePartition out;
  const bool zero = set.has(0);
  for (unsigned b = 1; b < 256; ++b) {
    if (set.has(static_cast<uint8_t>(b)) == zero) continue;
    if (out.count == 1) out.first[out.count++] = static_cast<uint8_t>(b);
    out.of[b] = 1;
  }
  return intern(out);
}

void RegexRows::refine(BytePartition& partition, const BytePartition& by) {
  new_class_.assign(partition.count * by.count, 0);  // plus 1, of a class of each
  size_t count = 0;
  for (size_t b = 0; b < 256; ++b) {
    uint16_t& to = new_class_[partition.of[b] * by.count + by.of[b]];
    if (to == 0) {
      partition.first[count] = static_cast<uint8_t>(b);
      to = static_cast<uint16_t>(++count);
    }
    partition.of[b] = static_cast<uint8_t>(to - 1);
  }
  partition.count = count;
}

RegexRows::Id RegexRows::common(std::span<const Id> partitions) {
  BytePartition out;
  Id one = trivial(), last = trivial();
  size_t refined = 0;
  for (const Id id : partitions) {
    if (id == trivial() || id == last) continue;
    last = one = id;
    ++refined;
    refine(out, partitions_[id]);
  }
  return refined <= 1 ? one : intern(out);
}

uint32_t RegexRows::add(Id partition, std::span<const uint32_t> targets) {
  rows_.push_back({.targets = static_cast<uint32_t>(targets_.size()), .partition = partition});
  targets_.insert(targets_.end(), targets.begin(), targets.end());
  return static_cast<uint32_t>(rows_.size() - 1);
}

size_t RegexRows::memory() const {
  return partitions_.capacity() * (sizeof(BytePartition) + 48) + rows_.capacity() * sizeof(Row) +
         targets_.capacity() * sizeof(uint32_t);
}

}  // namespace skald
