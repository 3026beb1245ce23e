// ThreadPool: an epoch that workers watch, a count of workers still busy, and a parking lot for idle ones.
#include "base/thread_pool.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/error.h"

namespace skald {
namespace {

using Clock = std::chrono::steady_clock;

// A token's operations follow each other within microseconds: no worker may park between them (a futex wake costs ~13 us).
constexpr auto kSpinThenPark = std::chrono::microseconds(100);
// After this long without news the awaited thread may be waiting for this very processor, hence the spinner yields. Two
// threads that share a processor pay it twice per fork-join (10 us; 46 us if it were 20), others a quick system call.
constexpr auto kPolite = std::chrono::microseconds(2);
constexpr int kPausesPerLook = 32;  // pauses between looks at the clock (a look costs ~25 ns, a pause 15 to 50 ns)

inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

// Spins until ready() or `limit` has passed; whether ready().
template <class Ready>
bool spin(Ready ready, Clock::duration limit) {
  for (int i = 0; i < kPausesPerLook; ++i) {  // the usual case never reads the clock
    if (ready()) return true;
    pause();
  }
  const Clock::time_point start = Clock::now();
  for (;;) {
    for (int i = 0; i < kPausesPerLook; ++i) {
      if (ready()) return true;
      pause();
    }
    const Clock::duration waited = Clock::now() - start;
    if (waited >= limit) return ready();
    if (waited >= kPolite) std::this_thread::yield();
  }
}

}  // namespace

// `body` and `target` are plain: they are written before `epoch` is released and read after it is acquired, and written
// again only after `busy` has come down to 0. Each hot word has a cache line of its own.
struct ThreadPool::Team {
  alignas(64) std::atomic<uint64_t> epoch{0};
  RawBody body = nullptr;
  const void* target = nullptr;
  bool stop = false;
  alignas(64) std::atomic<int> busy{0};
  alignas(64) std::atomic<int> parked{0};
  std::mutex mutex;
  std::condition_variable wake;
  std::vector<std::thread> workers;

  // Starts a new epoch. Dekker's argument against lost wake-ups: this thread writes `epoch` and then reads `parked`, a
  // parking worker writes `parked` and then reads `epoch`, all sequentially consistent: at least one sees the other.
  void announce() {
    epoch.fetch_add(1, std::memory_order_seq_cst);
    if (parked.load(std::memory_order_seq_cst) > 0) {
      { const std::lock_guard lock(mutex); }  // whoever counted itself as parked now waits, or will see the epoch
      wake.notify_all();
    }
  }

  void park(uint64_t seen) {
    std::unique_lock lock(mutex);
    parked.fetch_add(1, std::memory_order_seq_cst);
    wake.wait(lock, [&] { return epoch.load(std::memory_order_seq_cst) != seen; });
    parked.fetch_sub(1, std::memory_order_relaxed);
  }

  void work(int thread) {
    const ScopedFlushDenormals flush;
    for (uint64_t seen = 0;; ++seen) {
      const auto news = [&] { return epoch.load(std::memory_order_acquire) != seen; };
      if (!spin(news, kSpinThenPark)) park(seen);
      if (stop) return;
      body(target, thread);
      busy.fetch_sub(1, std::memory_order_release);
    }
  }

  void join() {
    stop = true;
    announce();
    for (std::thread& worker : workers) worker.join();
  }
};

ThreadPool::ThreadPool(int n_threads) : n_threads_(n_threads) {
  SKALD_ASSERT(n_threads >= 1);
  if (n_threads == 1) return;
  team_ = std::make_unique<Team>();
  team_->workers.reserve(static_cast<size_t>(n_threads - 1));
  try {
    for (int thread = 1; thread < n_threads; ++thread)
      team_->workers.emplace_back([team = team_.get(), thread] { team->work(thread); });
  } catch (const std::system_error& e) {
    team_->join();
    fail(Errc::kDevice, "starting {} threads: {}", n_threads, e.what());
  }
}

ThreadPool::~ThreadPool() {
  if (team_) team_->join();
}

void ThreadPool::run_raw(RawBody body, const void* target) {
  Team& team = *team_;
  team.body = body;
  team.target = target;
  team.busy.store(n_threads_ - 1, std::memory_order_relaxed);
  team.announce();
  body(target, 0);
  const auto done = [&] { return team.busy.load(std::memory_order_acquire) == 0; };
  spin(done, Clock::duration::max());
}

}  // namespace skald
