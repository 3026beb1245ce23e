// Commands of Redis that a test answers.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "tests/stores/scripted_server.h"

namespace skald::test {

class FakeRedis {
 public:
  using Command = std::vector<std::string>;
  /// Gives the reply to a command, in the protocol.
  using Reply = std::function<std::string(const Command& command)>;

  explicit FakeRedis(Reply reply) : reply_(std::move(reply)), server_([this](std::string& said) { return answer(said); }) {}

  int port() const { return server_.port(); }
  int connections() const { return server_.connections(); }
  std::vector<Command> commands() {
    const std::lock_guard lock(mutex_);
    return commands_;
  }

  static std::string bulk(const std::string& text) { return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n"; }

 private:
  std::string answer(std::string& said) {
    std::string out;
    for (Command command = take(said); !command.empty(); command = take(said)) {
      {
        const std::lock_guard lock(mutex_);
        commands_.push_back(command);
      }
      const std::string reply = reply_(command);
      if (reply == ScriptedServer::kClose) return reply;
      out += reply;
    }
    return out;
  }
  // The first command; empty where it is not whole.
  static Command take(std::string& said) {
    size_t at = 0;
    const auto number = [&](char sign) -> long {
      const size_t end = said.find("\r\n", at);
      if (end == said.npos || said[at] != sign) return -1;
      const long out = std::stol(said.substr(at + 1, end - at - 1));
      at = end + 2;
      return out;
    };
    Command out;
    for (long words = number('*'); words > 0; --words) {
      const long size = number('$');
      if (size < 0 || said.size() < at + static_cast<size_t>(size) + 2) return {};
      out.push_back(said.substr(at, static_cast<size_t>(size)));
      at += static_cast<size_t>(size) + 2;
    }
    if (!out.empty()) said.erase(0, at);
    return out;
  }

  Reply reply_;
  std::mutex mutex_;
  std::vector<Command> commands_;
  ScriptedServer server_;
};

}  // namespace skald::test
