// LoadClient: many requests to one server at the same time, on one thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "serve/http/loop.h"
#include "serve/http/tls.h"
#include "serve/load/load_target.h"
#include "serve/load/response_reader.h"

namespace skald::serve {

struct LoadClientOptions {
  LoadTarget target = {};
  std::string api_key = {};
  double timeout = 600;  // seconds in which no byte comes
  bool verify = true;    // of TLS
};

/// A request and its callbacks, on the loop's thread.
struct LoadAsk {
  std::string method = "POST", path = {}, body = {};  // the path after the target's base
  std::string prefix = {};                            // of the header X-Skald-Prefix; empty: without it
  /// Bytes of the answer's body, with its head. Its exception ends the exchange with this error.
  std::function<void(const ResponseReader& answer, std::string_view bytes)> on_bytes = {};
  /// Once: the answer is there, or (not empty) the reason why it is not whole. `status` 0: there was none.
  std::function<void(int status, const std::string& error)> on_end = {};
};

class LoadClient {
 public:
  /// Throws Error (kDevice) where the server cannot be reached.
  LoadClient(HttpLoop& loop, LoadClientOptions options);
  ~LoadClient();  // closes all connections; no callback is called any more
  LoadClient(const LoadClient&) = delete;
  LoadClient& operator=(const LoadClient&) = delete;

  /// Over a connection that is open and idle, else over a new one.
  void ask(LoadAsk ask);

 private:
  class Connection;
  friend class Connection;
  void ask_anew(LoadAsk ask);
  std::string request_text(const LoadAsk& ask) const;

  HttpLoop& loop_;
  LoadClientOptions options_;
  LoadAddress address_;
  std::unique_ptr<TlsClient> tls_;  // null: plain
  std::string scratch_;
  std::unordered_set<std::shared_ptr<Connection>> connections_;
  std::vector<std::shared_ptr<Connection>> idle_;
};

}  // namespace skald::serve
