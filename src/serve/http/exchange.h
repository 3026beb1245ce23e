// The exchange that a handler is given.
#pragma once

#include <memory>

#include "serve/http.h"
#include "serve/http/connection.h"

namespace skald::serve {

std::shared_ptr<Exchange> make_exchange(std::shared_ptr<Network> network, std::weak_ptr<Connection> connection,
                                        std::shared_ptr<Turn> turn, HttpRequest request, Framing framing, HeldBytes body);

}  // namespace skald::serve
