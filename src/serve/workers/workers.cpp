#include "serve/workers/workers.h"

#include <utility>

#include "base/guarded.h"

namespace skald::serve {

Workers::Workers(int n) {
  threads_.reserve(static_cast<size_t>(n));
  try {
    for (int i = 0; i < n; ++i) threads_.emplace_back([this] { work(); });
  } catch (...) {
    close();
    throw;
  }
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

void Workers::post(Errand task) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    tasks_.add(std::move(task));
  }
  ready_.notify_one();
}

std::function<void()> Workers::next() {
  std::unique_lock lock(mutex_);
  ready_.wait(lock, [this] { return closed_ || !tasks_.empty(); });
  if (tasks_.empty()) return nullptr;
  return tasks_.take();
}

// A task is destroyed without the lock, too: its destructor may post others, or take locks of its own.
void Workers::work() noexcept {
  while (const std::function<void()> task = next()) guarded("serve: a worker", task);
}

}  // namespace skald::serve
