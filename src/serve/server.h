// The server: from the socket to the last answer.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "serve/options.h"

namespace skald::serve {

enum class Ended : uint8_t {
  kDrained,      // told to stop, and all answers were given or had their time
  kInterrupted,  // told so twice
};

class Server {
 public:
  /// Listens. Throws Error: of an address that cannot be listened at.
  explicit Server(ServeOptions options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  std::string address() const;
  /// Returns whether requests are answered: the one model is there, or there are several, loaded when they are asked for.
  bool is_ready() const;
  /// Loads the model and answers until stop(), once. Throws Error: of a model that cannot be served.
  Ended run();
  /// Refuses new requests and ends run() when all answers are given or have had their time; the second call ends it at once.
  /// From any thread.
  void stop();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

/// Listens, tells the address and serves until SIGTERM or SIGINT. Throws as Server.
Ended run_server(ServeOptions options, const std::function<void(const std::string& address)>& listening);

}  // namespace skald::serve
