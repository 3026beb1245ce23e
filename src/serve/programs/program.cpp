#include "serve/programs/program.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/sockets.h"
#include "base/spawn.h"

namespace skald::serve {
namespace {

using ProgramClock = std::chrono::steady_clock;

struct Sockets {
  Descriptor ours, its;
};

// Sockets and no pipes: a write to a program that is gone is an error, and no signal.
Sockets make_sockets() {
  std::array<int, 2> ends{};
  if (!connect_pair(ends)) fail(Errc::kDevice, "socketpair: {}", std::strerror(errno));
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

// A program that runs; it is killed where nothing waits for it any more.
class Child {
 public:
  explicit Child(pid_t pid) : pid_(pid) {}
  ~Child() {
    if (pid_ == 0) return;
    ::kill(pid_, SIGKILL);
    wait();
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Returns whether it has ended, and its status.
  std::pair<bool, int> ended() {
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) != pid_) return {false, 0};
    pid_ = 0;
    return {true, WIFEXITED(status) ? WEXITSTATUS(status) : -1};
  }

 private:
  void wait() const {
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) continue;
  }

  pid_t pid_;
};

// The bytes to and from a program.
class Talk {
 public:
  Talk(Descriptor fd, std::string_view input) : fd_(std::move(fd)), input_(input) { say_end(); }

  /// Moves bytes both ways, or waits a moment. Returns false once the program has closed its output.
  bool step() {
    constexpr int kMomentMs = 20;
    pollfd poll{fd_.get(), static_cast<short>(input_.empty() ? POLLIN : POLLIN | POLLOUT), 0};
    if (::poll(&poll, 1, kMomentMs) <= 0) return true;
    if ((poll.revents & POLLOUT) != 0) write();
    return (poll.revents & (POLLIN | POLLHUP | POLLERR)) == 0 || read();
  }

  std::string output = {};

 private:
  void write() {
    const ssize_t n = ::send(fd_.get(), input_.data(), input_.size(), kNoSignal | MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    input_.remove_prefix(n < 0 ? input_.size() : static_cast<size_t>(n));  // it may not want the rest
    say_end();
  }
  bool read() {
    std::array<char, 65536> bytes;
    const ssize_t n = ::recv(fd_.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (n > 0) output.append(bytes.data(), static_cast<size_t>(n));
    return n > 0 || (n < 0 && (errno == EAGAIN || errno == EINTR));
  }
  void say_end() const {
    if (input_.empty()) ::shutdown(fd_.get(), SHUT_WR);
  }

  Descriptor fd_;
  std::string_view input_;
};

}  // namespace

std::string find_program(std::string_view name) {
  const char* const path = std::getenv("PATH");
  std::string_view rest = path ? path : "";
  while (!rest.empty()) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
    std::string file = std::string(folder).append("/").append(name);
    if (folder.starts_with('/') && ::access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

ProgramResult run_program(const std::vector<std::string>& arguments, std::string_view input, const ProgramLimits& limits,
                          const std::function<void()>& look) {
  const auto deadline = ProgramClock::now() + limits.time;
  auto [ours, its] = make_sockets();
  const auto seconds =
      std::chrono::ceil<std::chrono::seconds>(limits.time).count();  // also where the server is killed first
  Child child(spawn(arguments, its.get(), {.memory = limits.memory, .seconds = seconds}));
  { const Descriptor closed = std::move(its); }
  Talk talk(std::move(ours), input);
  bool talks = true;
  for (;;) {
    look();
    if (talks) {
      talks = talk.step();
      if (static_cast<int64_t>(talk.output.size()) > limits.output) return {ProgramEnd::kOutput, -1, {}};
    } else {
      if (const auto [ended, status] = child.ended(); ended) return {ProgramEnd::kExit, status, std::move(talk.output)};
      ::poll(nullptr, 0, 1);
    }
    if (ProgramClock::now() >= deadline) return {ProgramEnd::kTime, -1, {}};
  }
}

}  // namespace skald::serve
