#include "text/chat/jinja/values/objects.h"

#include <algorithm>

#include "text/chat/jinja/values/compare.h"
#include "text/chat/jinja/words/unicode.h"

namespace skald::jinja {

Text::Text(MarkedText text, bool markup)
    : Object(Kind::kText), text_(std::move(text)), length_(count_chars(text_.bytes())), markup_(markup) {}

size_t Text::offset(size_t index) const {
  if (is_ascii()) return index;
  if (index >= length_) return text_.size();
  return char_offset(bytes(), index);
}

const Value* Dict::find(const Value& key) const {
  const size_t place = place_of(key);
  return place == entries_.size() ? nullptr : &entries_[place].second;
}

const Value* Dict::find(std::string_view key) const {
  if (entries_.size() <= kScan) {
    for (const auto& [k, v] : entries_)
      if (k.is_text() && k.as<Text>().bytes() == key) return &v;
    return nullptr;
  }
  const auto [low, high] = places_.equal_range(hash_of(key));
  for (auto it = low; it != high; ++it) {
    const auto& [k, v] = entries_[it->second];
    if (k.is_text() && k.as<Text>().bytes() == key) return &v;
  }
  return nullptr;
}

size_t Dict::place_of(const Value& key) const {
  const size_t hash = hash_of(key);  // fails for lists, also where no hash is needed
  if (entries_.size() <= kScan) {
    for (size_t i = 0; i < entries_.size(); ++i)
      if (equal(entries_[i].first, key, heap().budget())) return i;
    return entries_.size();
  }
  const auto [low, high] = places_.equal_range(hash);
  for (auto it = low; it != high; ++it) {
    heap().budget().step();
    if (equal(entries_[it->second].first, key, heap().budget())) return it->second;
  }
  return entries_.size();
}

void Dict::set(Value key, Value value) {
  const size_t place = place_of(key);
  if (place < entries_.size()) {
    entries_[place].second = std::move(value);
    return;
  }
  constexpr size_t kEntryBytes = 64;
  heap().grow(*this, sizeof(Entries::value_type) + (place >= kScan ? kEntryBytes : 0));
  entries_.emplace_back(std::move(key), std::move(value));
  if (entries_.size() <= kScan) return;
  for (size_t i = places_.size(); i < entries_.size(); ++i) places_.emplace(hash_of(entries_[i].first), i);
}

void Dict::remove(std::string_view key) {
  const auto it = std::ranges::find_if(
      entries_, [&](const auto& entry) { return entry.first.is_text() && entry.first.template as<Text>().bytes() == key; });
  if (it == entries_.end()) return;
  entries_.erase(it);
  places_.clear();
  if (entries_.size() <= kScan) return;
  for (size_t i = 0; i < entries_.size(); ++i) places_.emplace(hash_of(entries_[i].first), i);
}

Range::Range(int64_t from, int64_t to, int64_t by) : Object(Kind::kRange), start(from), stop(to), step(by) {
  if (by > 0 ? from >= to : from <= to) return;
  const auto unsigned_of = [](int64_t i) { return static_cast<uint64_t>(i); };
  const uint64_t distance = by > 0 ? unsigned_of(to) - unsigned_of(from) : unsigned_of(from) - unsigned_of(to);
  const uint64_t stride = by > 0 ? unsigned_of(by) : 0 - unsigned_of(by);
  length = static_cast<int64_t>(std::min<uint64_t>((distance - 1) / stride, INT64_MAX - 1) + 1);
}

}  // namespace skald::jinja
