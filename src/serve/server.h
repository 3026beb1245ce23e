// The server: from the socket to the last answer.
#pragma once

#include <functional>
#include <string>

#include "serve/options.h"

namespace skald::serve {

enum class Ended : uint8_t {
  kDrained,      // told to stop, and all answers were given or had their time
  kInterrupted,  // told so twice
};

/// Listens, tells the address, loads the model and answers until SIGTERM or SIGINT. Throws Error: of an address that cannot
/// be listened at, of a model that cannot be served.
Ended run_server(ServeOptions options, const std::function<void(const std::string& address)>& listening);

}  // namespace skald::serve
