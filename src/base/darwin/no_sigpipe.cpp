// An option of sockets: old versions of macOS have no MSG_NOSIGNAL.
#include "base/no_sigpipe.h"

#include "base/sockets.h"

namespace skald {

const int kNoSignal = 0;

void quieten(int fd) {
  const int on = 1;
  ::setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof(on));
}

}  // namespace skald
