// An HttpServer in a thread of its own, and clients of raw bytes.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "serve/http.h"

namespace skald::serve_test {

using namespace std::chrono_literals;
using serve::Exchange;
using serve::HttpAnswer;
using serve::HttpOptions;
using serve::HttpRefusal;
using serve::HttpRequest;
using serve::HttpServer;

inline const std::string kGet = "GET /s HTTP/1.1\r\nHost: x\r\n\r\n";

/// Refusals have their fields in the text, for tests to see.
inline HttpAnswer plain_refusal(const HttpRefusal& why) {
  return {.status = why.status, .body = "refused " + why.method + " " + why.path + ": " + why.message};
}

/// "GET /a?b=c [body]", for tests to see the request.
inline void echo(const std::shared_ptr<Exchange>& exchange) {
  const auto& request = exchange->request();
  std::string text = request.method + " " + request.path;
  for (const auto& [name, value] : request.query) text.append(" ").append(name).append("=").append(value);
  exchange->send({.body = text + " [" + request.body + "]"});
}

inline int port_of(const HttpServer& server) {
  const std::string address = server.address();
  return std::stoi(address.substr(address.rfind(':') + 1));
}

class RunningServer {
 public:
  explicit RunningServer(HttpOptions options = {}, HttpServer::Handler handle = echo)
      : server_(with_port(std::move(options)), std::move(handle), plain_refusal), thread_([this] { server_.run(); }) {}
  ~RunningServer() {
    server_.stop(0ms);
    thread_.join();
  }
  RunningServer(const RunningServer&) = delete;
  RunningServer& operator=(const RunningServer&) = delete;

  HttpServer& operator*() { return server_; }
  HttpServer* operator->() { return &server_; }
  int port() const { return port_of(server_); }
  /// Waits until `count` connections are there.
  void wait_for_connections(int64_t count) const {
    while (server_.connections() != count) std::this_thread::sleep_for(1ms);
  }

 private:
  static HttpOptions with_port(HttpOptions options) {
    options.port = 0;
    return options;
  }

  HttpServer server_;
  std::thread thread_;
};

/// `receive_buffer`: bytes that the kernel keeps for a client that does not read; 0: its own choice.
inline int connect_to(int port, int receive_buffer = 0) {
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (receive_buffer) ::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof(receive_buffer));
  sockaddr_in at = {};
  at.sin_family = AF_INET;
  at.sin_port = htons(static_cast<uint16_t>(port));
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(::connect(fd, reinterpret_cast<sockaddr*>(&at), sizeof(at)), 0);
  return fd;
}

class Client {
 public:
  explicit Client(int fd) : fd_(fd) {}
  explicit Client(const RunningServer& server, int receive_buffer = 0) : fd_(connect_to(server.port(), receive_buffer)) {}
  ~Client() { close(); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  void close() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }
  /// Closes with a reset.
  void reset() {
    const linger now = {.l_onoff = 1, .l_linger = 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    close();
  }

  /// False if the server has closed.
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
    return true;
  }

  /// Returns the bytes that come in one piece; empty at the end.
  std::string receive(size_t most = 65536) {
    std::string bytes(most, '\0');
    const ssize_t got = ::recv(fd_, bytes.data(), bytes.size(), 0);
    bytes.resize(got > 0 ? static_cast<size_t>(got) : 0);
    return bytes;
  }
  /// All up to the end, or up to `mark` and including it.
  std::string receive_until(std::string_view mark = "") {
    std::string all = std::exchange(rest_, {});
    while (true) {
      if (const size_t at = mark.empty() ? std::string::npos : all.find(mark); at != std::string::npos) {
        rest_ = all.substr(at + mark.size());
        return all.substr(0, at + mark.size());
      }
      const std::string more = receive();
      if (more.empty()) return all;
      all += more;
    }
  }
  /// An answer with Content-Length: head and body.
  std::string receive_answer() {
    std::string head = receive_until("\r\n\r\n");
    const size_t at = head.find("Content-Length: ");
    if (at == std::string::npos) return head;
    const size_t length = std::stoul(head.substr(at + 16));
    while (rest_.size() < length) {
      const std::string more = receive();
      if (more.empty()) break;
      rest_ += more;
    }
    head += rest_.substr(0, length);
    rest_.erase(0, length);
    return head;
  }
  std::string ask(std::string_view request) {
    send(request);
    return receive_answer();
  }
  /// Tells whether bytes or the end have come, or come within this many milliseconds.
  bool is_readable(int milliseconds = 0) const {
    pollfd state = {.fd = fd_, .events = POLLIN, .revents = 0};
    return ::poll(&state, 1, milliseconds) > 0;
  }
  int fd() const { return fd_; }

 private:
  int fd_;
  std::string rest_ = {};
};

inline std::string body_of(const std::string& answer) {
  return answer.substr(std::min(answer.find("\r\n\r\n") + 4, answer.size()));
}
/// 0: none.
inline int status_of(const std::string& answer) {
  return answer.starts_with("HTTP/1.1 ") ? std::stoi(answer.substr(9, 3)) : 0;
}

}  // namespace skald::serve_test
