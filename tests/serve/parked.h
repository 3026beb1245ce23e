// A handler that leaves its exchanges to the test.
#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>

#include "serve/http.h"

namespace skald::serve_test {

class Parked {
 public:
  serve::HttpServer::Handler handler() {
    return [this](std::shared_ptr<serve::Exchange> exchange) {
      const std::lock_guard lock(mutex_);
      waiting_.push_back(std::move(exchange));
      changed_.notify_all();
    };
  }

  /// The next one; waits for it.
  std::shared_ptr<serve::Exchange> next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !waiting_.empty(); });
    auto exchange = std::move(waiting_.front());
    waiting_.pop_front();
    return exchange;
  }
  size_t count() {
    const std::lock_guard lock(mutex_);
    return waiting_.size();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<serve::Exchange>> waiting_;
};

/// A signal that threads wait for. Declared before the server whose thread sets it, which must not outlive it.
class Signal {
 public:
  void set() {
    const std::lock_guard lock(mutex_);
    ++count_;
    changed_.notify_all();
  }
  void wait(int count = 1) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return count_ >= count; });
  }
  int count() {
    const std::lock_guard lock(mutex_);
    return count_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int count_ = 0;
};

}  // namespace skald::serve_test
