// SumThread: sums over ranks on a thread of their own, beside the products that follow them.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

#include "base/thread_pool.h"
#include "tensor/buffer.h"

namespace skald {

class SumThread {
 public:
  /// Takes what an operation needs to run: a pool of this one thread, and scratch.
  using Sum = std::function<void(ThreadPool& pool, std::byte* scratch)>;

  SumThread();
  ~SumThread();
  SumThread(const SumThread&) = delete;
  SumThread& operator=(const SumThread&) = delete;

  /// Nothing may be posted.
  void grow(int64_t scratch_bytes);
  /// Calls `sum` after those before it.
  void post(Sum sum);
  /// Waits for all. Throws the exception of the first one that threw; those after it were not called.
  void wait();
  /// Waits likewise, and forgets what failed.
  void drain() noexcept;

 private:
  void run();
  bool is_idle() const { return sums_.empty() && !busy_; }

  ThreadPool pool_{1};
  Buffer scratch_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Sum> sums_;
  std::exception_ptr failure_;
  bool busy_ = false, ends_ = false;
  std::thread thread_;
};

}  // namespace skald
