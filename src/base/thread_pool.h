// ThreadPool: fork-join over some or all of a fixed number of threads. A waiting thread spins for about 100 us and then
// sleeps. The caller does the parts that others have not begun when its own is done.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/cpu_list.h"

namespace skald {

/// Owned by one engine and driven by one thread at a time. The calling thread takes part as thread 0.
/// Workers run with flush-to-zero and denormals-are-zero set (see ScopedFlushDenormals for the caller).
///
/// Where a thread runs never changes: thread i always is on place(i). Memory that thread i touches first therefore lies near
/// the CPU that reads it, in all fork-joins that cut the work the same way. ranges() does, as long as no part is taken over.
/// The caller is on place(0) only while it has a ScopedAffinity there, which belongs around work that touches or computes
/// much.
class ThreadPool {
 public:
  /// 1 <= n_threads < 65536; n_threads - 1 workers are started. `places` as in ThreadPlan: thread i may run on the CPUs
  /// places[i % places.size()]; none: on any. Throws kDevice when the system refuses a thread or its place.
  explicit ThreadPool(int n_threads, std::vector<CpuList> places = {});
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Threads that there are, and those that take part in the next fork-joins: 0 to size() - 1. All do at first.
  int capacity() const { return capacity_; }
  int size() const { return n_threads_; }

  /// 1 <= n_threads <= capacity(). Workers that no longer take part sleep until they are wanted, and cost nothing.
  void set_size(int n_threads);

  /// CPUs that a thread (below capacity()) runs on; empty: any.
  const CpuList& place(int thread) const;

  /// Calls body(thread) once on each of the size() threads and returns when all are done. They see the caller's earlier
  /// writes, and the caller sees theirs. Throws the exception of the first `body` that threw one, when all are over. `body`
  /// must not call run() again.
  template <class Body>
  void run(Body&& body) {
    fork(std::forward<Body>(body), Who::kItself);
  }

  /// The same where it does not matter on which thread a part runs: body(part) once for each of 0 to size() - 1. A part that
  /// its thread has not begun when the caller is done with part 0 is taken over. Beside other programs a thread may have to
  /// wait milliseconds for a processor.
  template <class Body>
  void parts(Body&& body) {
    fork(std::forward<Body>(body), Who::kAnyone);
  }

  /// Splits [0, n) into one contiguous range per thread: multiples of `grain` > 0, as even as possible. Calls body(begin,
  /// end, thread) for the non-empty ones. n + grain and n / grain * size() must fit in int64_t.
  template <class Body>
  void ranges(int64_t n, int64_t grain, Body&& body) {
    parts([&](int thread) {
      const int64_t units = (n + grain - 1) / grain;
      const int64_t begin = units * thread / n_threads_ * grain;
      const int64_t end = std::min(n, units * (thread + 1) / n_threads_ * grain);
      if (begin < end) body(begin, end, thread);
    });
  }

  /// Hands out [0, n) in ranges that become smaller towards the end, multiples of `grain` > 0. Threads first stay on long
  /// pieces, and then none waits long for another. body(begin, end, thread).
  template <class Body>
  void guided(int64_t n, int64_t grain, Body&& body) {
    std::atomic<int64_t> next{0};
    parts([&](int thread) {
      for (int64_t begin = next.load(std::memory_order_relaxed); begin < n;) {
        const int64_t share = 3 * (n - begin) / (4 * n_threads_) / grain * grain,
                      end = std::min(n, begin + std::max(grain, share));
        if (!next.compare_exchange_weak(begin, end, std::memory_order_relaxed)) continue;
        body(begin, end, thread);
        begin = next.load(std::memory_order_relaxed);
      }
    });
  }

  /// Hands out the items 0..n-1 one by one to whichever thread is free: body(item, thread).
  template <class Body>
  void dynamic(int64_t n, Body&& body) {
    if (n_threads_ == 1) {
      for (int64_t i = 0; i < n; ++i) body(i, 0);
      return;
    }
    std::atomic<int64_t> next{0};
    parts([&](int thread) {
      for (int64_t i = next.fetch_add(1, std::memory_order_relaxed); i < n; i = next.fetch_add(1, std::memory_order_relaxed))
        body(i, thread);
    });
  }

  /// From here on, whether it is added up how long threads wait for the slowest one at the ends of fork-joins. Nothing looks
  /// at a clock unless it is.
  void time_waiting(bool on) { timed_ = on; }

  /// Returns the seconds that threads have waited, all of them together, since this was last asked.
  double take_waited();

 private:
  struct Team;  // the workers and their shared state
  enum class Who { kItself, kAnyone };
  using RawBody = void (*)(const void* target, int thread);
  void run_raw(RawBody body, const void* target, Who who);
  void run_timed(RawBody body, const void* target, Who who);

  template <class Body>
  void fork(Body&& body, Who who) {
    if (n_threads_ == 1) {
      body(0);
      return;
    }
    using Target = std::remove_reference_t<Body>;
    const RawBody raw = [](const void* target, int thread) { (*static_cast<Target*>(const_cast<void*>(target)))(thread); };
    if (timed_)
      run_timed(raw, std::addressof(body), who);
    else
      run_raw(raw, std::addressof(body), who);
  }

  int capacity_, n_threads_;
  bool timed_ = false;
  double waited_ = 0;
  std::vector<CpuList> places_;
  std::unique_ptr<Team> team_;  // null for one thread
};

/// Times a pool's waiting for a scope.
class ScopedWaitTiming {
 public:
  explicit ScopedWaitTiming(ThreadPool& pool) : pool_(pool) {
    pool_.take_waited();
    pool_.time_waiting(true);
  }
  ~ScopedWaitTiming() { pool_.time_waiting(false); }
  ScopedWaitTiming(const ScopedWaitTiming&) = delete;
  ScopedWaitTiming& operator=(const ScopedWaitTiming&) = delete;

  /// Seconds, all threads together, since the last call.
  double take() { return pool_.take_waited(); }

 private:
  ThreadPool& pool_;
};

/// Sets flush-to-zero and denormals-are-zero on this thread for a scope: peaked softmax weights are denormal, and
/// arithmetic on them is many times slower.
class ScopedFlushDenormals {
 public:
  ScopedFlushDenormals();
  ~ScopedFlushDenormals();
  ScopedFlushDenormals(const ScopedFlushDenormals&) = delete;
  ScopedFlushDenormals& operator=(const ScopedFlushDenormals&) = delete;

 private:
  uint64_t saved_;  // the control register as it was
};

}  // namespace skald
