// A server on this machine that says what a test tells it.
#pragma once

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>

#include "base/error.h"

namespace skald::test {

class ScriptedServer {
 public:
  /// Answers the bytes that a connection has sent so far, which `said` may take away from; an empty answer says nothing, and
  /// kClose ends the connection.
  using Answer = std::function<std::string(std::string& said)>;
  static constexpr const char* kClose = "close!";

  explicit ScriptedServer(Answer answer) : answer_(std::move(answer)), listening_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (::bind(listening_, reinterpret_cast<sockaddr*>(&address), size) || ::listen(listening_, 4) ||
        ::getsockname(listening_, reinterpret_cast<sockaddr*>(&address), &size))
      fail(Errc::kDevice, "no server for a test");
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~ScriptedServer() {
    ended_ = true;
    thread_.join();
    ::close(listening_);
  }
  ScriptedServer(const ScriptedServer&) = delete;
  ScriptedServer& operator=(const ScriptedServer&) = delete;

  int port() const { return port_; }
  int connections() const { return connections_; }

 private:
  bool readable(int fd) const {
    pollfd at{.fd = fd, .events = POLLIN, .revents = 0};
    while (!ended_)
      if (::poll(&at, 1, 5) > 0) return true;
    return false;
  }
  // One connection after the other.
  void serve() {
    while (readable(listening_)) {
      const int fd = ::accept(listening_, nullptr, nullptr);
      ++connections_;
      talk(fd);
      ::close(fd);
    }
  }
  void talk(int fd) {
    std::string said;
    for (char piece[4096]; readable(fd);) {
      const ssize_t n = ::recv(fd, piece, sizeof piece, 0);
      if (n <= 0) return;
      said.append(piece, static_cast<size_t>(n));
      const std::string answer = answer_(said);
      if (answer == kClose) return;
      for (size_t at = 0; at < answer.size();) {
        const ssize_t sent = ::send(fd, answer.data() + at, answer.size() - at, MSG_NOSIGNAL);
        if (sent <= 0) return;
        at += static_cast<size_t>(sent);
      }
    }
  }

  Answer answer_;
  int listening_, port_ = 0;
  std::atomic<int> connections_ = 0;
  std::atomic<bool> ended_ = false;
  std::thread thread_;
};

}  // namespace skald::test
