// Requests of one load on a loop of their own.
#pragma once

#include <functional>
#include <string>

#include "serve/http/loop.h"
#include "serve/load/load.h"
#include "serve/load/load_client.h"

namespace skald::serve {

class LoadSession {
 public:
  /// `o` must outlive it.
  explicit LoadSession(const LoadOptions& o) : o_(o), client_(loop_, o.client) {}

  HttpLoop& loop() { return loop_; }
  LoadClient& client() { return client_; }

  /// Sends a request, and calls `done` with its result.
  void measure(const std::string& body, std::function<void(LoadSample)> done);

  /// Runs `begin`, and `tick` ten times a second, until the loop is stopped: true, or LoadOptions::stop says so: false.
  bool run(std::function<void()> begin, std::function<void()> tick = {});

 private:
  void look(const std::function<void()>& tick);

  const LoadOptions& o_;
  HttpLoop loop_;
  LoadClient client_;
  bool stopped_ = false;
};

}  // namespace skald::serve
