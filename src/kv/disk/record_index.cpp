#include "kv/disk/record_index.h"

#include <utility>

namespace skald {

void RecordIndex::put(const RecordName& name, int64_t bytes, int64_t used) {
  erase(name);
  const auto at = records_.emplace(name, Record{bytes, used}).first;
  try {
    by_age_.insert({used, name});
  } catch (...) {  // in both, or in none
    records_.erase(at);
    throw;
  }
  bytes_ += bytes;
  pages_ += name.part.is_page();
}

void RecordIndex::erase(const RecordName& name) {
  const auto at = records_.find(name);
  if (at == records_.end()) return;
  by_age_.erase({at->second.used, name});
  bytes_ -= at->second.bytes;
  pages_ -= name.part.is_page();
  records_.erase(at);
}

void RecordIndex::use(const RecordName& name, int64_t used) {
  const auto at = records_.find(name);
  if (at == records_.end()) return;
  auto age = by_age_.extract({at->second.used, name});
  at->second.used = age.value().used = used;
  by_age_.insert(std::move(age));
}

int64_t RecordIndex::bytes(const RecordName& name) const {
  const auto at = records_.find(name);
  return at == records_.end() ? 0 : at->second.bytes;
}

std::optional<RecordIndex::Age> RecordIndex::oldest() const {
  if (by_age_.empty()) return {};
  return *by_age_.begin();
}

std::vector<RecordName> RecordIndex::names() const {
  std::vector<RecordName> out;
  out.reserve(records_.size());
  for (const auto& [name, record] : records_) out.push_back(name);
  return out;
}

}  // namespace skald
