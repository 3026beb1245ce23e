// Inbox: what other threads post to the engine's thread.
#pragma once

#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

namespace skald {

template <class T>
class Inbox {
 public:
  /// False when the inbox is closed; the item is then gone.
  bool post(T item) {
    {
      const std::lock_guard lock(mutex_);
      if (closed_) return false;
      items_.push_back(std::move(item));
    }
    ready_.notify_one();
    return true;
  }
  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    ready_.notify_one();
  }
  /// Everything posted so far; with `wait`, blocks until there is something or the inbox is closed. The flag says "closed".
  std::pair<std::vector<T>, bool> take(bool wait) {
    std::unique_lock lock(mutex_);
    if (wait) ready_.wait(lock, [&] { return closed_ || !items_.empty(); });
    return {std::exchange(items_, {}), closed_};
  }

 private:
  std::mutex mutex_;
  std::condition_variable ready_;
  std::vector<T> items_;
  bool closed_ = false;
};

}  // namespace skald
