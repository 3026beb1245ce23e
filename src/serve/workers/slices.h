// Slices: a thread on which work of several clients goes on in turn, a slice of each at a time. Short work does not wait for
// the end of long work.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>

namespace skald::serve {

class Slices {
 public:
  /// Does a slice; false when that was the last one. An exception ends the work, and is told in the log.
  using Work = std::function<bool()>;

  /// `most`: works that wait or run, of which one client has as many as it leaves for others.
  explicit Slices(int64_t most);
  ~Slices();  // works that are not over are dropped
  Slices(const Slices&) = delete;
  Slices& operator=(const Slices&) = delete;

  /// Returns false where too many wait, and then `work` will not run.
  bool post(const std::string& client, Work work);

 private:
  struct Item {
    std::string client;
    Work work;
    std::chrono::steady_clock::duration used = {};
  };
  void run() noexcept;
  std::list<Item>::iterator next();

  const int64_t most_;
  std::mutex mutex_;
  std::condition_variable ready_;
  std::list<Item> items_;  // those that did not run for longest first
  bool oldest_next_ = false, closed_ = false;
  std::thread thread_;
};

}  // namespace skald::serve
