// Workers: threads for work that takes time and belongs neither to the network nor to the engine: reading bodies, templates,
// tokens, grammars.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "serve/workers/errand.h"

namespace skald::serve {

class Workers {
 public:
  explicit Workers(int n);
  ~Workers();  // closes
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// In the order of posting, several at the same time. A task's exception ends it, and is told in the log.
  void post(Errand task) noexcept;
  /// Waits until all posted tasks are done; later ones are dropped. Not for the workers' own threads.
  void close();

 private:
  void work() noexcept;
  std::function<void()> next();  // waits for it; none: closed

  std::mutex mutex_;
  std::condition_variable ready_;
  Errands tasks_;
  bool closed_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace skald::serve
