#include "serve/workers.h"

#include <utility>

namespace skald::serve {

Workers::Workers(int n) {
  for (int i = 0; i < n; ++i) threads_.emplace_back([this] { work(); });
}

Workers::~Workers() { close(); }

void Workers::close() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  ready_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

void Workers::post(std::function<void()> f) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    tasks_.push_back(std::move(f));
  }
  ready_.notify_one();
}

std::function<void()> Workers::next() {
  std::unique_lock lock(mutex_);
  ready_.wait(lock, [this] { return closed_ || !tasks_.empty(); });
  if (tasks_.empty()) return nullptr;
  std::function<void()> task = std::move(tasks_.front());
  tasks_.pop_front();
  return task;
}

// A task goes without the lock, too: what it held may post others, or take locks of its own.
void Workers::work() {
  while (const std::function<void()> task = next()) task();
}

}  // namespace skald::serve
