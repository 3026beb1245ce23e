#include "base/no_sigpipe.h"

#include "base/sockets.h"

namespace skald {

const int kNoSignal = MSG_NOSIGNAL;
void quieten(int) {}

}  // namespace skald
