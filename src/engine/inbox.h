// Inbox: the messages of other threads to the engine's thread.
#pragma once

#include <condition_variable>
#include <list>
#include <mutex>
#include <utility>

namespace skald {

template <class T>
class Inbox {
 public:
  /// Returns false when the inbox is closed; the item is then gone.
  bool post(T item) {
    std::list<T> one;
    one.push_back(std::move(item));
    {
      const std::lock_guard lock(mutex_);
      if (closed_) return false;
      items_.splice(items_.end(), one);
    }
    ready_.notify_one();
    return true;
  }
  /// The next take() waits for nothing. Takes no memory.
  void wake() noexcept {
    {
      const std::lock_guard lock(mutex_);
      woken_ = true;
    }
    ready_.notify_one();
  }
  void close() {
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
    }
    ready_.notify_one();
  }
  /// Everything posted so far, for which it takes no memory; with `wait`, blocks until there is something, or it is woken or
  /// closed. The flag says "closed".
  std::pair<std::list<T>, bool> take(bool wait) {
    std::unique_lock lock(mutex_);
    if (wait) ready_.wait(lock, [&] { return closed_ || woken_ || !items_.empty(); });
    woken_ = false;
    return {std::exchange(items_, {}), closed_};
  }

 private:
  std::mutex mutex_;
  std::condition_variable ready_;
  std::list<T> items_;
  bool woken_ = false, closed_ = false;
};

}  // namespace skald
