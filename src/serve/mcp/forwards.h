// Forwards: requests to other servers, each on a thread that waits for the answer.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <string>

#include "serve/workers/workers.h"

namespace skald::serve {

class Forwards {
 public:
  /// `most`: requests at the same time, of which one client has as many as it leaves for others.
  explicit Forwards(int most) : most_(most), workers_(most) {}
  ~Forwards() { close(); }
  Forwards(const Forwards&) = delete;
  Forwards& operator=(const Forwards&) = delete;

  /// Returns false where too many run, and then `run` will not.
  bool post(const std::string& client, std::function<void()> run);
  /// Tells the requests to end: see ended(). From any thread.
  void end() noexcept { ended_ = true; }
  bool ended() const { return ended_; }
  /// Waits until they have ended.
  void close();

 private:
  bool enter(const std::string& client);
  void leave(const std::string& client) noexcept;

  const int most_;
  std::atomic<bool> ended_ = false;
  std::mutex mutex_;
  int running_ = 0;
  std::map<std::string, int> by_client_;
  Workers workers_;
};

}  // namespace skald::serve
