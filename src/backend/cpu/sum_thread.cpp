#include "backend/cpu/sum_thread.h"

#include <utility>

namespace skald {

SumThread::SumThread() : thread_([this] { run(); }) {}

SumThread::~SumThread() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void SumThread::grow(int64_t scratch_bytes) {
  if (scratch_bytes > scratch_.size()) scratch_ = Buffer(scratch_bytes);
}

void SumThread::post(Sum sum) {
  {
    const std::lock_guard lock(mutex_);
    sums_.push_back(std::move(sum));
  }
  changed_.notify_all();
}

void SumThread::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return is_idle(); });
  if (const std::exception_ptr failure = std::exchange(failure_, nullptr)) std::rethrow_exception(failure);
}

void SumThread::drain() noexcept {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return is_idle(); });
  failure_ = nullptr;
}

// With the arithmetic of the threads that compute.
void SumThread::run() {
  const ScopedFlushDenormals flush;
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return ends_ || !sums_.empty(); });
    if (sums_.empty()) return;
    const Sum sum = std::move(sums_.front());
    sums_.pop_front();
    busy_ = true;
    lock.unlock();
    std::exception_ptr failure;
    try {
      sum(pool_, scratch_.data());
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    busy_ = false;
    if (failure) {
      failure_ = failure;
      sums_.clear();
    }
    changed_.notify_all();
  }
}

}  // namespace skald
