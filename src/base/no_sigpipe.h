// How sockets are kept from raising SIGPIPE, beside kNoSignal of base/sockets.h.
#pragma once

namespace skald {

/// Sets the option of a new socket. Does nothing where kNoSignal serves.
void quieten(int fd);

}  // namespace skald
