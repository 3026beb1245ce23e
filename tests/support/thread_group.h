// ThreadGroup: ranks that are threads of the test.
#pragma once

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "comm/group.h"

namespace skald::test {

/// What ranks sent to each other and have not received yet.
class Mailboxes {
 public:
  void send(int from, int to, std::span<const std::byte> bytes) {
    const std::lock_guard lock(mutex_);
    boxes_[{from, to}].emplace_back(bytes.begin(), bytes.end());
    sent_ += std::ssize(bytes);
    arrived_.notify_all();
  }
  /// Throws kDevice once the group is given up.
  void receive(int from, int to, std::span<std::byte> bytes) {
    std::unique_lock lock(mutex_);
    std::deque<std::vector<std::byte>>& box = boxes_[{from, to}];
    arrived_.wait(lock, [&] { return !box.empty() || !why_.empty(); });
    if (box.empty()) fail(Errc::kDevice, "{}", why_);
    if (box.front().size() != bytes.size())
      fail(Errc::kInternal, "a message of {} bytes where {} are wanted", box.front().size(), bytes.size());
    std::ranges::copy(box.front(), bytes.begin());
    box.pop_front();
  }
  void give_up(const std::string& why) {
    const std::lock_guard lock(mutex_);
    if (why_.empty()) why_ = why;
    arrived_.notify_all();
  }
  /// Bytes of all messages so far.
  int64_t sent() {
    const std::lock_guard lock(mutex_);
    return sent_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<std::pair<int, int>, std::deque<std::vector<std::byte>>> boxes_;
  std::string why_;
  int64_t sent_ = 0;
};

class ThreadGroup : public Group {
 public:
  ThreadGroup(Mailboxes& boxes, int rank, int size) : boxes_(boxes), rank_(rank), size_(size) {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::string name_of(int rank) const override { return "rank " + std::to_string(rank); }
  void exchange(std::span<const Send> sends, std::span<const Receive> receives, Pace) override {
    for (const Send& s : sends) boxes_.send(rank_, s.to, s.bytes);
    for (const Receive& r : receives) boxes_.receive(r.from, rank_, r.bytes);
  }
  void give_up(const std::string& why) override { boxes_.give_up(why); }
  void hurry() override {}
  double patience() const override { return 60; }

 private:
  Mailboxes& boxes_;
  int rank_, size_;
};

}  // namespace skald::test
