#include "serve/workers/fair_workers.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "base/guarded.h"
#include "base/interruption.h"
#include "base/reserve_more.h"
#include "base/thread_seconds.h"
#include "serve/api_error.h"

namespace skald::serve {
namespace {

constexpr std::string_view kWorker = "serve: work of a request";
constexpr int64_t kMemoryOfByte = 32;  // at most, of a byte that is read, on its way to tokens

// The engine and short work go first. A thread cannot take that back, and ends with its task.
void step_back() {
  constexpr int kNice = 2;
  ::setpriority(PRIO_PROCESS, 0, kNice);  // on Linux of the thread alone
}

}  // namespace

struct FairWorkers::Job final : Interruption::Watcher {
  Job(FairWorkers& of, Task what, bool big) : workers(of), task(std::move(what)), is_long(big) {}
  void at_point() override { workers.point(*this); }
  void before_memory(int64_t bytes) override { workers.take_memory(*this, bytes); }

  double cpu() const { return thread_seconds() - cpu_at_start; }
  Clock::duration used_until(Clock::time_point now) const { return goes_on ? used + (now - began) : used; }

  FairWorkers& workers;
  Task task;
  const double cpu_at_start = thread_seconds();
  Clock::time_point began = Clock::now();  // this slice
  Clock::duration used = {};               // in the slices before
  int64_t memory = 0, wanted = 0;          // bytes that it has, and that it waits for
  bool is_long, goes_on = true;
  std::condition_variable may_go_on = {};
};

FairWorkers::FairWorkers(const Limits& limits) : limits_(limits) {}
FairWorkers::~FairWorkers() { close(); }

void FairWorkers::close() {
  std::list<std::thread> ended;
  {
    Lock lock(mutex_);
    closed_ = true;
    ready_.notify_all();
    for (Job* job : suspended_) job->may_go_on.notify_one();
    all_end_.wait(lock, [this] { return threads_.empty(); });
    ended = std::exchange(ended_, {});
  }
  for (std::thread& thread : ended) thread.join();
}

void FairWorkers::post(Task task) {
  std::list<std::thread> ended;
  {
    const Lock lock(mutex_);
    if (closed_) return;
    have_thread();
    const std::string client = task.client;
    (task.bytes > limits_.big ? big_tasks_ : tasks_).add(client, std::move(task));
    ended = std::exchange(ended_, {});
  }
  ready_.notify_one();
  for (std::thread& thread : ended) thread.join();  // they have nothing left to do
}

// One that waits is enough: it looks again when a task that runs has become long. False where there is none and the system
// refuses one: others take the task when they are done. Throws where there are no others.
bool FairWorkers::have_thread() {
  if (idle_ > 0) return true;
  try {
    reserve_more(running_, threads_.size() + 1);  // so that a task that begins or goes on takes no memory
    reserve_more(suspended_, threads_.size() + 1);
    std::list<std::thread> one(1);
    one.front() = std::thread([this] { work(); });
    threads_.splice(threads_.end(), one);
    return true;
  } catch (const std::exception&) {
    if (threads_.empty()) throw;
    return false;
  }
}

void FairWorkers::work() noexcept {
  Lock lock(mutex_);
  // One that is not wanted any more goes on where it is the last one and there is work.
  do serve_tasks(lock);
  while (waits() && !have_thread() && threads_.size() == 1);
  const auto own = std::ranges::find(threads_, std::this_thread::get_id(), &std::thread::get_id);
  ended_.splice(ended_.end(), threads_, own);
  if (threads_.empty()) all_end_.notify_all();
}

void FairWorkers::serve_tasks(Lock& lock) {
  for (bool goes_on = true; goes_on && wait_for_task(lock);) {
    const bool big = !may_start(Clock::now());
    Job job(*this, (big ? big_tasks_ : tasks_).take(), big);
    running_.push_back(&job);
    if (big) {  // which begins as others go on: in its turn
      step_back();
      job.wanted = job.task.bytes * kMemoryOfByte;
      suspend(job, lock);
    } else if (waits()) {
      have_thread();
    }
    lock.unlock();
    run(job);
    lock.lock();
    std::erase(running_, &job);
    memory_ -= job.memory;
    resume_more();
    closed_ ? ready_.notify_all() : ready_.notify_one();
    goes_on = !job.is_long;
    lock.unlock();
    job.task = {};  // without the lock: its destructor may post tasks, or take locks of its own
    lock.lock();
  }
}

// False: the thread is not wanted any more.
bool FairWorkers::wait_for_task(Lock& lock) {
  for (;;) {
    const Clock::time_point now = Clock::now();
    if (may_start(now) || may_start_big()) return true;
    if (!waits() && (closed_ || idle_ >= limits_.together)) return false;
    ++idle_;
    if (tasks_.empty())
      ready_.wait(lock);
    else
      ready_.wait_until(lock, next_change(now));
    --idle_;
  }
}

void FairWorkers::run(Job& job) noexcept {
  const Interruption watched(job);
  guarded(kWorker, job.task.run);
}

// Whether a task that runs is no short one any more: by the clock, whether it has points or not.
bool FairWorkers::is_old(const Job& job, Clock::time_point now) const {
  return job.is_long || job.used_until(now) >= limits_.moment;
}

int64_t FairWorkers::old_ones(Clock::time_point now) const {
  return std::ranges::count_if(running_, [&](const Job* job) { return is_old(*job, now); });
}

int64_t FairWorkers::long_ones() const { return std::ranges::count_if(running_, &Job::is_long); }

bool FairWorkers::may_start(Clock::time_point now) const {
  if (tasks_.empty()) return false;
  const int64_t old = old_ones(now), kept = std::min<int64_t>(limits_.long_ones, old + std::ssize(suspended_));
  return std::ssize(running_) - old < limits_.together - kept &&
         std::ssize(running_) < limits_.together + limits_.unfinished;
}

bool FairWorkers::may_start_big() const { return !big_tasks_.empty() && has_room(big_tasks_.next().bytes * kMemoryOfByte); }

// When the next task that runs is old.
FairWorkers::Clock::time_point FairWorkers::next_change(Clock::time_point now) const {
  Clock::time_point next = now + limits_.moment;
  for (const Job* job : running_)
    if (!is_old(*job, now)) next = std::min(next, job->began + (limits_.moment - job->used));
  return next;
}

void FairWorkers::point(Job& job) {
  if (job.task.look) job.task.look();
  const double cpu = job.cpu();
  if (limits_.seconds > 0 && cpu > limits_.seconds)
    throw ApiError(400, fmt::format("reading the request takes more than {} s", limits_.seconds));
  Lock lock(mutex_);
  if (closed_) return;
  if (!job.is_long) {
    if (cpu < std::chrono::duration<double>(limits_.moment).count()) return;
    check_room(job);
    step_back();
    job.is_long = true;
    if (long_ones() > limits_.long_ones) suspend(job, lock);
  } else if (Clock::now() - job.began >= limits_.slice && !suspended_.empty()) {
    suspend(job, lock);
  }
}

void FairWorkers::take_memory(Job& job, int64_t bytes) {
  Lock lock(mutex_);
  if (closed_) return;
  if (!job.is_long) {
    check_room(job);
    step_back();
    job.is_long = true;
  }
  job.wanted = bytes;
  suspend(job, lock);
}

// One client leaves as much for others as it takes.
void FairWorkers::check_room(const Job& job) const {
  int64_t all = 0, own = 0;
  for (const std::vector<Job*>* jobs : {&running_, &suspended_})
    for (const Job* other : *jobs) {
      all += other->is_long;
      own += other->is_long && other->task.client == job.task.client;
    }
  if (own >= limits_.unfinished - all) throw ApiError(429, "too many requests that take long are being read");
}

void FairWorkers::suspend(Job& job, Lock& lock) {
  job.used = job.used_until(Clock::now());
  job.goes_on = false;
  std::erase(running_, &job);
  suspended_.push_back(&job);
  resume_more();
  if (!job.goes_on) {  // others may begin
    if (waits()) have_thread();
    ready_.notify_one();
  }
  job.may_go_on.wait(lock, [&] { return job.goes_on || closed_; });
  if (!job.goes_on) go_on(job);
}

void FairWorkers::go_on(Job& job) {
  std::erase(suspended_, &job);
  running_.push_back(&job);
  memory_ += job.wanted;
  job.memory += std::exchange(job.wanted, 0);
  job.goes_on = true;
  job.began = Clock::now();
  job.may_go_on.notify_one();
}

void FairWorkers::resume_more() {
  while (long_ones() < limits_.long_ones) {
    Job* const next = next_suspended();
    if (!next) return;
    go_on(*next);
  }
}

// Of the client that has used least, the task that has used least; none where all wait for memory.
FairWorkers::Job* FairWorkers::next_suspended() const {
  Job* best = nullptr;
  const auto find_best = [&] {
    const Clock::time_point now = Clock::now();
    std::map<std::string_view, Clock::duration> used;
    for (const std::vector<Job*>* jobs : {&running_, &suspended_})
      for (const Job* job : *jobs) used[job->task.client] += job->used_until(now);
    const auto order = [&](const Job* job) { return std::pair(used[job->task.client], job->used); };
    for (Job* job : suspended_)
      if (has_room_for(*job) && (!best || order(job) < order(best))) best = job;
  };
  return guarded(kWorker, find_best) ? best : first_suspended();
}

bool FairWorkers::has_room_for(const Job& job) const { return job.wanted == 0 || has_room(job.wanted); }

// Without memory to add up whose turn it is.
FairWorkers::Job* FairWorkers::first_suspended() const {
  const auto first = std::ranges::find_if(suspended_, [this](const Job* job) { return has_room_for(*job); });
  return first == suspended_.end() ? nullptr : *first;
}

}  // namespace skald::serve
