// FairWorkers: threads that read clients' bodies, templates, tokens and grammars. Short work never waits for long work: a
// task that takes longer than a moment has places of its own, and goes on in slices.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "serve/workers/fair_queue.h"

namespace skald::serve {

class FairWorkers {
 public:
  using Clock = std::chrono::steady_clock;

  struct Limits {
    int together = 2;                      // tasks that run at the same time
    int long_ones = 1;                     // of those that are long; fewer than `together`
    int unfinished = 64;                   // long tasks that run or wait for a slice
    int64_t big = int64_t{1} << 20;        // bytes to be read: a task with more is long before it begins
    int64_t memory = int64_t{1} << 30;     // of all tasks that say how much they take; one may take more
    double seconds = 0;                    // of its thread's time that a task may take; 0: any
    std::chrono::milliseconds moment{20};  // of that: a task that takes more is long
    std::chrono::milliseconds slice{50};   // of a long task while others wait
  };
  struct Task {
    std::function<void()> run;
    std::string client = {};  // clients take turns
    int64_t bytes = 0;        // that it has to read
    /// Is called at the task's points (see Interruption), on its thread: its exceptions end the task. May be empty.
    std::function<void()> look = {};
  };

  explicit FairWorkers(const Limits& limits);
  ~FairWorkers();  // closes
  FairWorkers(const FairWorkers&) = delete;
  FairWorkers& operator=(const FairWorkers&) = delete;

  /// At points of a task ApiError is thrown: 400 when it took more than its time, 429 when it is long and too many are. One
  /// client has as many as it leaves for others.
  void post(Task task);
  void post(std::function<void()> run) { post(Task{.run = std::move(run)}); }
  /// Waits until all posted tasks are done; later ones are dropped. Not for the workers' own threads.
  void close();

 private:
  struct Job;
  using Lock = std::unique_lock<std::mutex>;

  void work() noexcept;
  void serve_tasks(Lock& lock);
  static void run(Job& job) noexcept;
  void point(Job& job);
  void take_memory(Job& job, int64_t bytes);
  // With the lock:
  bool wait_for_task(Lock& lock);
  bool have_thread();
  bool waits() const { return !tasks_.empty() || !big_tasks_.empty(); }
  bool may_start(Clock::time_point now) const;
  bool may_start_big() const;
  bool is_old(const Job& job, Clock::time_point now) const;
  int64_t old_ones(Clock::time_point now) const;
  int64_t long_ones() const;
  Clock::time_point next_change(Clock::time_point now) const;
  void check_room(const Job& job) const;
  void suspend(Job& job, Lock& lock);
  void go_on(Job& job);
  void resume_more();
  Job* next_suspended() const;
  Job* first_suspended() const;
  bool has_room_for(const Job& job) const;
  bool has_room(int64_t bytes) const { return memory_ == 0 || memory_ + bytes <= limits_.memory; }

  const Limits limits_;
  std::mutex mutex_;
  std::condition_variable ready_;  // for threads that have no task
  std::condition_variable all_end_;
  FairQueue<Task> tasks_, big_tasks_;       // that wait
  std::vector<Job*> running_, suspended_;   // which live on their threads' stacks
  int64_t memory_ = 0;                      // of those
  std::list<std::thread> threads_, ended_;  // ended ones are to be joined
  int64_t idle_ = 0;
  bool closed_ = false;
};

}  // namespace skald::serve
