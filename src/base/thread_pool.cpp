// ThreadPool: an epoch that workers watch, a seat for each that says which part was begun, and a parking lot for idle ones.
#include "base/thread_pool.h"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/cpu_affinity.h"
#include "base/error.h"
#include "base/processor.h"

namespace skald {
namespace {

using Clock = std::chrono::steady_clock;

// A token's operations follow each other within microseconds: no thread may sleep between them (a futex wake costs ~13 us).
constexpr auto kSpin = std::chrono::microseconds(100);
// On a crowded machine a spinner uses up the time that it has on its processor, perhaps while the awaited thread waits for
// that very processor. A sleeper keeps its time and is woken before threads that always run.
constexpr auto kCrowdedSpin = std::chrono::microseconds(5);
// A spinner that sees the clock jump by this much was not running: other programs are.
constexpr auto kJump = std::chrono::microseconds(200);
constexpr auto kCrowdedFor = std::chrono::milliseconds(50);  // from the last jump on
constexpr int kPausesPerLook = 32;  // pauses between looks at the clock (a look costs ~25 ns, a pause 15 to 50 ns)

// How long it is worth to spin, as all threads of a pool have found.
class Patience {
 public:
  // Spins until ready(), or for as long as is worth it; whether ready().
  template <class Ready>
  bool spin(Ready ready) {
    if (spin_once(ready)) return true;  // the usual case never reads the clock
    const Clock::time_point start = Clock::now();
    for (Clock::time_point last = start;;) {
      if (spin_once(ready)) return true;
      const Clock::time_point now = Clock::now();
      if (now - last > kJump)
        crowded_until_.store((now + kCrowdedFor).time_since_epoch().count(), std::memory_order_relaxed);
      last = now;
      const bool crowded = now.time_since_epoch().count() < crowded_until_.load(std::memory_order_relaxed);
      if (now - start >= (crowded ? kCrowdedSpin : kSpin)) return ready();
    }
  }

 private:
  template <class Ready>
  static bool spin_once(Ready& ready) {
    for (int i = 0; i < kPausesPerLook; ++i) {
      if (ready()) return true;
      pause_spinning();
    }
    return false;
  }

  std::atomic<Clock::rep> crowded_until_{0};
};

}  // namespace

// `body` and `target` are plain. They are written before `epoch` is released, and read after it is acquired by threads that
// have taken a part of it. They are written again only after `busy` has come down to 0, when all parts are done. Each hot
// word has a cache line of its own.
//
// A part is begun by the thread that moves its seat on to the epoch: its own, or the caller in its place. A thread that was
// not running for a while finds that its seat has moved on, and goes on with the latest epoch.
//
// A worker that sees an epoch without itself sits out: it sleeps apart from those that have parked, so that no fork-join
// wakes it, until set_size() recalls it. That happens between fork-joins, and the worker goes on from the epoch of then,
// which the next fork-join that waits for it follows.
struct ThreadPool::Team {
  static constexpr int kMemberBits = 16;

  // Fork-joins so far, above kMemberBits; below: how many threads take part in the last one, 0: the end.
  alignas(64) std::atomic<uint64_t> epoch{0};
  RawBody body = nullptr;
  const void* target = nullptr;
  alignas(64) std::atomic<int> busy{0};  // parts that are not done, but for the caller's
  std::atomic<bool> awaited{false};      // the caller sleeps until they are
  alignas(64) std::atomic<int> parked{0};
  std::mutex mutex;
  uint64_t announced = 0;          // by the caller alone: fork-joins so far
  std::condition_variable wake;    // of those that have parked
  std::condition_variable recall;  // of those that sit out
  std::condition_variable done;    // of the caller
  int members;                     // under the mutex: threads that do not sit out
  uint64_t recalled_at = 0;        // under the mutex: the epoch when `members` was last set
  std::exception_ptr failure;      // under the mutex while parts run: the first of them
  std::vector<std::thread> workers;
  struct alignas(64) Seat {
    std::atomic<uint64_t> taken{0};  // the last epoch whose part of this thread was begun
  };
  std::vector<Seat> seats;
  Patience patience;

  explicit Team(int n_threads) : members(n_threads), seats(static_cast<size_t>(n_threads)) {}

  static int members_of(uint64_t epoch) { return static_cast<int>(epoch & ((uint64_t{1} << kMemberBits) - 1)); }

  // Starts a new epoch. Dekker's argument against lost wake-ups: this thread writes `epoch` and then reads `parked`, a
  // parking worker writes `parked` and then reads `epoch`, all sequentially consistent: at least one sees the other.
  void announce(int n_threads) {
    epoch.store(++announced << kMemberBits | static_cast<uint64_t>(n_threads), std::memory_order_seq_cst);
    if (parked.load(std::memory_order_seq_cst) > 0) {
      { const std::lock_guard lock(mutex); }  // a thread that is counted as parked now waits, or will see the epoch
      wake.notify_all();
    }
  }

  void park(uint64_t seen) {
    std::unique_lock lock(mutex);
    parked.fetch_add(1, std::memory_order_seq_cst);
    wake.wait(lock, [&] { return epoch.load(std::memory_order_seq_cst) != seen; });
    parked.fetch_sub(1, std::memory_order_relaxed);
  }

  // The epoch that follows, or a later one for a thread that was not waited for.
  uint64_t next_after(uint64_t seen) {
    uint64_t now = seen;
    const auto news = [&] { return (now = epoch.load(std::memory_order_acquire)) != seen; };
    if (patience.spin(news)) return now;
    park(seen);
    return epoch.load(std::memory_order_acquire);
  }

  // Whether the calling thread is the one to do `thread`'s part of this epoch.
  bool take(int thread, uint64_t of) {
    std::atomic<uint64_t>& taken = seats[static_cast<size_t>(thread)].taken;
    uint64_t last = taken.load(std::memory_order_acquire);
    return last < of && taken.compare_exchange_strong(last, of, std::memory_order_acq_rel);
  }

  // The exception of a part goes to the caller, which waits for the others first.
  void call(int thread) noexcept {
    try {
      body(target, thread);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  }

  // All parts are done: no other thread looks at `failure`.
  void rethrow() {
    if (failure) std::rethrow_exception(std::exchange(failure, nullptr));
  }

  // A part is done. Dekker's argument again, of `busy` and `awaited`.
  void leave() {
    if (busy.fetch_sub(1, std::memory_order_seq_cst) > 1 || !awaited.load(std::memory_order_seq_cst)) return;
    { const std::lock_guard lock(mutex); }
    done.notify_one();
  }

  // Does the parts that others have not begun.
  void take_over(int n_threads) {
    const uint64_t now = epoch.load(std::memory_order_relaxed);
    for (int thread = 1; thread < n_threads && busy.load(std::memory_order_relaxed) > 0; ++thread)
      if (take(thread, now)) {
        call(thread);
        busy.fetch_sub(1, std::memory_order_relaxed);
      }
  }

  void wait_for_all() {
    const auto all_done = [&] { return busy.load(std::memory_order_seq_cst) == 0; };
    if (patience.spin(all_done)) return;
    std::unique_lock lock(mutex);
    awaited.store(true, std::memory_order_seq_cst);
    done.wait(lock, all_done);
    awaited.store(false, std::memory_order_relaxed);
  }

  // Until the thread is a member again; the epoch to go on from.
  uint64_t sit_out(int thread) {
    std::unique_lock lock(mutex);
    recall.wait(lock, [&] { return thread < members; });
    return recalled_at;
  }

  // Between fork-joins.
  void set_members(int n_threads) {
    {
      const std::lock_guard lock(mutex);
      members = n_threads;
      recalled_at = epoch.load(std::memory_order_relaxed);
    }
    recall.notify_all();
  }

  void work(int thread) {
    const ScopedFlushDenormals flush;
    for (uint64_t seen = 0;;) {
      seen = next_after(seen);
      const int n_threads = members_of(seen);
      if (n_threads == 0) return;
      if (thread >= n_threads) {
        seen = sit_out(thread);
        continue;
      }
      if (!take(thread, seen)) continue;
      call(thread);
      leave();
    }
  }

  void join() {
    set_members(std::numeric_limits<int>::max());
    announce(0);
    for (std::thread& worker : workers) worker.join();
  }
};

ThreadPool::ThreadPool(int n_threads, std::vector<CpuList> places)
    : capacity_(n_threads), n_threads_(n_threads), places_(std::move(places)) {
  SKALD_ASSERT(n_threads >= 1 && n_threads < 1 << Team::kMemberBits);
  if (n_threads == 1) return;
  team_ = std::make_unique<Team>(n_threads);
  team_->workers.reserve(static_cast<size_t>(n_threads - 1));
  try {
    for (int thread = 1; thread < n_threads; ++thread) {
      team_->workers.emplace_back([team = team_.get(), thread] { team->work(thread); });
      if (!place(thread).empty() && !set_thread_affinity(team_->workers.back().native_handle(), place(thread)))
        fail(Errc::kDevice, "the system refuses to run a thread on CPU {}", to_string(place(thread)));
    }
  } catch (const std::system_error& e) {
    team_->join();
    fail(Errc::kDevice, "starting {} threads: {}", n_threads, e.what());
  } catch (...) {
    team_->join();
    throw;
  }
}

ThreadPool::~ThreadPool() {
  if (team_) team_->join();
}

void ThreadPool::set_size(int n_threads) {
  SKALD_ASSERT(n_threads >= 1 && n_threads <= capacity_);
  if (n_threads == n_threads_) return;
  n_threads_ = n_threads;
  team_->set_members(n_threads);
}

const CpuList& ThreadPool::place(int thread) const {
  static const CpuList anywhere;
  return places_.empty() ? anywhere : places_[static_cast<size_t>(thread) % places_.size()];
}

void ThreadPool::run_raw(RawBody body, const void* target, Who who) {
  Team& team = *team_;
  team.body = body;
  team.target = target;
  team.busy.store(n_threads_ - 1, std::memory_order_relaxed);
  team.announce(n_threads_);
  team.call(0);
  if (who == Who::kAnyone) team.take_over(n_threads_);
  team.wait_for_all();
  team.rethrow();
}

// Each thread leaves the time at which it was done.
void ThreadPool::run_timed(RawBody body, const void* target, Who who) {
  struct alignas(64) End {
    Clock::time_point at;
  };
  std::vector<End> ends(static_cast<size_t>(n_threads_));
  const auto timed = [&](int thread) {
    body(target, thread);
    ends[static_cast<size_t>(thread)].at = Clock::now();
  };
  run_raw([](const void* t, int thread) { (*static_cast<decltype(timed)*>(t))(thread); }, &timed, who);
  const Clock::time_point end = Clock::now();
  for (const End& own : ends) waited_ += std::chrono::duration<double>(end - own.at).count();
}

double ThreadPool::take_waited() { return std::exchange(waited_, 0); }

}  // namespace skald
