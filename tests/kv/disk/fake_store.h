// A store that does what a test tells it: it may be slow, dead or silent.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kv/disk/record_store.h"

namespace skald::test {

/// What the fake store does, and what it was asked; it outlives the store.
class StoreScript {
 public:
  /// Each call blocks from now on, until release().
  void hang() { set(hangs_, true); }
  void release() { set(hangs_, false); }
  /// Each call fails from now on, or not.
  void die(bool dead = true) { dead_ = dead; }
  bool hangs_now() {
    const std::lock_guard lock(mutex_);
    return hanging_ > 0;
  }
  void put(const RecordName& name, RecordStore::Payload payload) {
    const std::lock_guard lock(mutex_);
    records_[name] = std::move(payload);
  }
  /// Loses all records.
  void clear() {
    const std::lock_guard lock(mutex_);
    records_.clear();
  }
  std::vector<std::string> asked() {
    const std::lock_guard lock(mutex_);
    return asked_;
  }
  size_t looked() {
    const std::lock_guard lock(mutex_);
    return looked_;
  }

  std::atomic<bool> reached_at_once = true;

 private:
  friend class FakeStore;
  void set(bool& what, bool value) {
    const std::lock_guard lock(mutex_);
    what = value;
    changed_.notify_all();
  }
  void call(const std::string& what) {
    std::unique_lock lock(mutex_);
    asked_.push_back(what);
    ++hanging_;
    changed_.wait(lock, [&] { return !hangs_; });
    --hanging_;
    if (dead_) throw StoreDown(Errc::kDevice, "it is dead");
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  bool hangs_ = false;
  std::atomic<bool> dead_ = false;
  int hanging_ = 0;
  size_t looked_ = 0;
  std::map<RecordName, RecordStore::Payload> records_;
  std::vector<std::string> asked_;
};

class FakeStore final : public RecordStore {
 public:
  explicit FakeStore(StoreScript& script) : script_(script) {}

  std::string kind() const override { return "fake"; }
  std::string label() const override { return "a fake"; }
  bool knows(const RecordName& name) const override {
    const std::lock_guard lock(mutex_);
    return known_.contains(name);
  }
  void forget(const RecordName& name) override { know(name, false); }
  int64_t next_use() override { return ++uses_; }
  bool use(const RecordName& name, int64_t) override { return knows(name); }
  bool is_reached() const override { return script_.reached_at_once; }
  PrefixStore::Status status() const override { return {}; }

  void reach() override { script_.call("reach"); }
  void look(std::span<const RecordName> names) override {
    script_.call("look");
    for (const RecordName& name : names) know(name, record(name).has_value());
    const std::lock_guard lock(script_.mutex_);
    script_.looked_ += names.size();
  }
  void read(std::span<const Wanted> wanted, const Got& got) override {
    script_.call("read");
    for (size_t i = 0; i < wanted.size(); ++i) got(i, record(wanted[i].name));
  }
  bool write(const RecordName& name, std::span<const TokenId>, const Payload& payload) override {
    script_.call("write");
    script_.put(name, payload);
    know(name, true);
    return true;
  }
  void remove(std::span<const RecordName> names) override {
    script_.call("remove");
    const std::lock_guard lock(script_.mutex_);
    for (const RecordName& name : names) script_.records_.erase(name);
  }
  void tell_uses(std::span<const Use>) override { script_.call("use"); }

 private:
  void know(const RecordName& name, bool there) {
    const std::lock_guard lock(mutex_);
    if (there)
      known_.insert(name);
    else
      known_.erase(name);
  }
  std::optional<Payload> record(const RecordName& name) {
    const std::lock_guard lock(script_.mutex_);
    const auto at = script_.records_.find(name);
    return at == script_.records_.end() ? std::nullopt : std::optional(at->second);
  }

  StoreScript& script_;
  mutable std::mutex mutex_;
  std::set<RecordName> known_;
  std::atomic<int64_t> uses_ = 0;
};

}  // namespace skald::test
