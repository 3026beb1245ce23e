#include "base/wakeup.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace skald {

Wakeup::Ends Wakeup::made_pipe() {
  Ends ends{};
  if (pipe(ends.data()) != 0) fail(Errc::kDevice, "cannot make a pipe: {}", std::strerror(errno));
  for (const int end : ends) {
    fcntl(end, F_SETFD, FD_CLOEXEC);
    fcntl(end, F_SETFL, O_NONBLOCK);
  }
  return ends;
}

// A full pipe is set already.
void Wakeup::set() noexcept {
  const char byte = 0;
  while (write(in_.get(), &byte, 1) < 0 && errno == EINTR) {
  }
}

void Wakeup::clear() noexcept {
  std::array<char, 64> bytes;
  for (;;) {
    const ssize_t n = read(out_.get(), bytes.data(), bytes.size());
    if (n <= 0 && !(n < 0 && errno == EINTR)) return;
  }
}

}  // namespace skald
