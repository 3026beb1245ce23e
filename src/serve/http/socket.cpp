#include "serve/http/socket.h"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/sockets.h"

namespace skald::serve {
namespace {

class PlainSocket final : public Socket {
 public:
  explicit PlainSocket(int fd) : fd_(fd) {}

  IoResult handshake() override { return {IoResult::Kind::kDone}; }

  IoResult read(std::span<char> into) override {
    const ssize_t got = ::recv(fd_, into.data(), into.size(), MSG_DONTWAIT);
    if (got > 0) return {IoResult::Kind::kDone, static_cast<size_t>(got)};
    if (got == 0) return {IoResult::Kind::kEnd};
    return would_block() ? IoResult{IoResult::Kind::kWantRead} : IoResult{IoResult::Kind::kFailed};
  }

  IoResult write(std::span<const std::string_view> pieces) override {
    std::array<iovec, 64> vectors;
    const size_t count = std::min(pieces.size(), vectors.size());
    for (size_t i = 0; i < count; ++i) vectors[i] = {const_cast<char*>(pieces[i].data()), pieces[i].size()};
    msghdr message = {};
    message.msg_iov = vectors.data();
    message.msg_iovlen = static_cast<decltype(message.msg_iovlen)>(count);
    const ssize_t sent = ::sendmsg(fd_, &message, kNoSignal | MSG_DONTWAIT);
    if (sent >= 0) return {IoResult::Kind::kDone, static_cast<size_t>(sent)};
    return would_block() ? IoResult{IoResult::Kind::kWantWrite} : IoResult{IoResult::Kind::kFailed};
  }

  void finish() override { ::shutdown(fd_, SHUT_WR); }

 private:
  static bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

  int fd_;
};

}  // namespace

std::unique_ptr<Socket> plain_socket(int fd) { return std::make_unique<PlainSocket>(fd); }

}  // namespace skald::serve
