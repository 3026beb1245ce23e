#include "stores/remote_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "base/size_text.h"
#include "kv/disk/record_file.h"

namespace skald {
namespace {

std::vector<std::string> texts(std::span<const RecordName> names) {
  std::vector<std::string> out;
  out.reserve(names.size());
  for (const RecordName& name : names) out.push_back(file_name(name));
  return out;
}

}  // namespace

RemoteRecords::RemoteRecords(std::unique_ptr<RemoteTable> table) : table_(std::move(table)) {}

bool RemoteRecords::knows(const RecordName& name) const {
  const std::lock_guard lock(mutex_);
  return known_.contains(name);
}

void RemoteRecords::forget(const RecordName& name) { know(name, false); }

int64_t RemoteRecords::next_use() {
  const int64_t now = std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
  const std::lock_guard lock(mutex_);
  return last_use_ = std::max(last_use_ + 1, now);
}

bool RemoteRecords::use(const RecordName& name, int64_t used) {
  const std::lock_guard lock(mutex_);
  const auto at = known_.find(name);
  if (at == known_.end() || used - at->second < std::chrono::nanoseconds(table_->use_every()).count()) return false;
  at->second = used;
  return true;
}

PrefixStore::Status RemoteRecords::status() const {
  const std::lock_guard lock(mutex_);
  PrefixStore::Status out = counts_;
  out.pages = std::ranges::count_if(known_, [](const auto& record) { return record.first.part.is_page(); });
  return out;
}

void RemoteRecords::know(const RecordName& name, bool there) {
  const int64_t now = next_use();
  const std::lock_guard lock(mutex_);
  if (!there) {
    known_.erase(name);
    return;
  }
  if (known_.size() >= kMostKnown) known_.clear();
  known_.try_emplace(name, now);
}

void RemoteRecords::know(std::span<const RecordName> names, const std::vector<bool>& there) {
  for (size_t i = 0; i < names.size(); ++i) know(names[i], there[i]);
}

void RemoteRecords::look(std::span<const RecordName> names) { know(names, table_->has(texts(names))); }

void RemoteRecords::read(std::span<const Wanted> wanted, const Got& got) {
  std::vector<RecordName> names, damaged;
  for (const Wanted& w : wanted) names.push_back(w.name);
  table_->get(texts(names), [&](size_t i, std::optional<RemoteTable::Bytes> bytes) {
    got(i, checked(wanted[i], std::move(bytes), damaged));
  });
  if (!damaged.empty()) remove(damaged);
}

std::optional<RecordStore::Payload> RemoteRecords::checked(const Wanted& wanted, std::optional<RemoteTable::Bytes> bytes,
                                                           std::vector<RecordName>& damaged) {
  if (!bytes) {
    know(wanted.name, false);
    return {};
  }
  const bool good = record_payload(*bytes, wanted.name, wanted.tokens).has_value();
  if (!good) {
    know(wanted.name, false);
    damaged.push_back(wanted.name);
  }
  const std::lock_guard lock(mutex_);
  (good ? counts_.pages_read : counts_.corrupt) += !good || wanted.name.part.is_page();
  if (!good) return {};
  bytes->erase(bytes->begin(), bytes->begin() + kRecordHead);
  return bytes;
}

bool RemoteRecords::write(const RecordName& name, std::span<const TokenId> tokens, const Payload& payload) {
  const int64_t bytes = kRecordHead + std::ssize(payload);
  if (bytes > table_->most_bytes()) {
    tell_once(told_size_, fmt::format("a record of {} is not written: {} takes {} at most", size_text(bytes), table_->kind(),
                                      size_text(table_->most_bytes())));
    return false;
  }
  const RemoteTable::Put put = table_->put(file_name(name), record_head(name, tokens, payload), payload);
  if (put == RemoteTable::Put::kNoRoom) {
    tell_once(told_room_, "it is full: pages are not written until some expire or are removed");
    return false;
  }
  know(name, true);
  const std::lock_guard lock(mutex_);
  counts_.pages_written += put == RemoteTable::Put::kWritten && name.part.is_page();
  return true;
}

void RemoteRecords::remove(std::span<const RecordName> names) {
  for (const RecordName& name : names) know(name, false);
  table_->remove(texts(names));
}

// What the server has removed is written again when a prompt is over that begins with it.
void RemoteRecords::tell_uses(std::span<const Use> uses) {
  std::vector<RecordName> names;
  for (const Use& use : uses) names.push_back(use.name);
  know(names, table_->touch(texts(names)));
}

void RemoteRecords::tell_once(bool& told, const std::string& message) const {
  if (!std::exchange(told, true)) log(LogLevel::kWarn, "the prefix cache's store, {}: {}", label(), message);
}

}  // namespace skald
