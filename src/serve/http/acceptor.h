// Accepts clients, and makes them connections.
#pragma once

#include <memory>

#include "serve/http/listener.h"
#include "serve/http/network.h"

namespace skald::serve {

/// For the network's thread only, once started.
class Acceptor final : public Watch::Owner, public std::enable_shared_from_this<Acceptor> {
 public:
  Acceptor(std::shared_ptr<Network> network, int listening, bool is_unix);

  void start() { watch_.wait_readable(shared_from_this()); }
  void close() { watch_.close(); }

  void on_readable() override;
  void on_writable() override {}
  void on_timer() override { start(); }
  void on_failure() override;

 private:
  bool accept_one();
  void welcome(Descriptor fd, std::string peer);

  std::shared_ptr<Network> network_;
  Watch watch_;
  bool unix_;
  bool short_of_files_ = false;  // said in the log
};

}  // namespace skald::serve
