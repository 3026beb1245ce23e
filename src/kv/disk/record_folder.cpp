#include "kv/disk/record_folder.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "kv/disk/record_file.h"

namespace skald {
namespace {

constexpr std::chrono::seconds kLookEvery{30};

}  // namespace

RecordFolder::RecordFolder(const std::string& path, int64_t most_bytes) : folder_(path), most_bytes_(most_bytes) {
  look_around();
}

void RecordFolder::look(std::span<const RecordName> names) {
  for (const RecordName& name : names)
    if (!knows(name)) learn(name);
}

bool RecordFolder::knows(const RecordName& name) const {
  const std::lock_guard lock(mutex_);
  return index_.has(name);
}

// Whether there is a file.
bool RecordFolder::learn(const RecordName& name) {
  const std::optional<PrivateFolder::File> file = folder_.about(file_name(name));
  if (!file) return false;
  const std::lock_guard lock(mutex_);
  if (!index_.has(name)) index_.put(name, file->bytes, file->changed);
  last_use_ = std::max(last_use_, file->changed);
  return true;
}

void RecordFolder::read(std::span<const Wanted> wanted, const Got& got) {
  for (size_t i = 0; i < wanted.size(); ++i) got(i, read(wanted[i]));
}

std::optional<RecordFolder::Payload> RecordFolder::read(const Wanted& wanted) {
  const auto& [name, tokens] = wanted;
  const std::string file = file_name(name);
  std::optional<PrivateFolder::Content> content = folder_.open(file, most_bytes_);
  if (content && content->bytes && record_payload(*content->bytes, name, tokens)) {
    content->bytes->erase(content->bytes->begin(), content->bytes->begin() + kRecordHead);
    const std::lock_guard lock(mutex_);
    counts_.pages_read += name.part.is_page();
    return std::move(content->bytes);
  }
  // Another process may have put a good one in its place since.
  const bool damaged = content && folder_.remove_same(file, content->file);
  const std::lock_guard lock(mutex_);
  counts_.corrupt += damaged;
  index_.erase(name);
  return {};
}

bool RecordFolder::write(const RecordName& name, std::span<const TokenId> tokens, const Payload& payload) {
  const std::string file = file_name(name);
  const int64_t bytes = kRecordHead + std::ssize(payload);
  if (bytes > most_bytes_) return false;
  const int64_t used = next_use();
  if (const auto there = folder_.about_now(file); there && there->bytes == bytes) {
    if (learn(name)) use(name, used);
    folder_.set_changed(file, used);
    return true;
  }
  make_room(bytes);
  folder_.write(file, {record_head(name, tokens, payload), payload}, used);
  const std::lock_guard lock(mutex_);
  index_.put(name, bytes, used);
  counts_.pages_written += name.part.is_page();
  written_since_look_ += bytes;
  return true;
}

void RecordFolder::remove(std::span<const RecordName> names) {
  for (const RecordName& name : names) {
    folder_.remove(file_name(name));
    forget(name);
  }
}

void RecordFolder::forget(const RecordName& name) {
  const std::lock_guard lock(mutex_);
  index_.erase(name);
}

int64_t RecordFolder::next_use() {
  const int64_t now = std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
  const std::lock_guard lock(mutex_);
  return last_use_ = std::max(last_use_ + 1, now);
}

bool RecordFolder::use(const RecordName& name, int64_t used) {
  const std::lock_guard lock(mutex_);
  index_.use(name, used);
  return index_.has(name);
}

void RecordFolder::tell_uses(std::span<const Use> uses) {
  for (const Use& use : uses) folder_.set_changed(file_name(use.name), use.at);
}

// What other programs have put there stays as it is.
void RecordFolder::look_around() {
  {
    const std::lock_guard lock(mutex_);
    next_look_ = Clock::now() + kLookEvery;
    written_since_look_ = 0;
  }
  std::vector<RecordName> listed;
  for (const std::string& file : folder_.names()) {
    if (const std::optional<RecordName> name = record_named(file)) {
      listed.push_back(*name);
      if (!knows(*name)) learn(*name);
    } else if (const auto begun = PrivateFolder::unfinished(file); begun && record_named(*begun)) {
      folder_.remove_abandoned(file);
    }
  }
  forget_all_but(std::move(listed));
  make_room(0);
}

// A list that is made while others write may lack some.
void RecordFolder::forget_all_but(std::vector<RecordName> listed) {
  std::vector<RecordName> known, gone;
  {
    const std::lock_guard lock(mutex_);
    known = index_.names();
  }
  std::ranges::sort(listed);
  std::ranges::sort(known);
  std::ranges::set_difference(known, listed, std::back_inserter(gone));
  for (const RecordName& name : gone)
    if (!folder_.about_now(file_name(name))) forget(name);
}

RecordFolder::Clock::time_point RecordFolder::next_look() const {
  const std::lock_guard lock(mutex_);
  return written_since_look_ > most_bytes_ / kSlackParts ? Clock::time_point{} : next_look_;
}

// What was used least recently goes, by any process: the file knows.
void RecordFolder::make_room(int64_t bytes) {
  while (const std::optional<RecordIndex::Age> oldest = oldest_beyond(bytes)) {
    const std::string name = file_name(oldest->name);
    const std::optional<PrivateFolder::File> file = folder_.about_now(name);
    if (file && file->changed > oldest->used) {
      use(oldest->name, file->changed);
      continue;
    }
    if (file) folder_.remove(name);
    const std::lock_guard lock(mutex_);
    index_.erase(oldest->name);
    counts_.pages_removed += file && oldest->name.part.is_page();
  }
}

// Where there is no room.
std::optional<RecordIndex::Age> RecordFolder::oldest_beyond(int64_t bytes) const {
  const std::lock_guard lock(mutex_);
  return index_.bytes() + bytes > most_bytes_ ? index_.oldest() : std::nullopt;
}

PrefixStore::Status RecordFolder::status() const {
  const std::lock_guard lock(mutex_);
  PrefixStore::Status out = counts_;
  out.pages = index_.pages();
  out.bytes = index_.bytes();
  return out;
}

}  // namespace skald
