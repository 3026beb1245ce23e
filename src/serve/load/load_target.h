// LoadTarget: the server that is asked, by its URL.
#pragma once

#include <string>
#include <string_view>

namespace skald::serve {

struct LoadTarget {
  std::string url;  // as it was given, for messages
  bool tls = false;
  std::string host = {};  // a name or an address; empty: a UNIX socket
  int port = 0;
  std::string path = {};     // of the UNIX socket
  std::string base = "/v1";  // the beginning of endpoints' paths

  /// For the header Host.
  std::string authority() const;
};

/// "http://127.0.0.1:8080", "https://example.org/v1", "unix:/path.sock". The path ends with /v1, which is added where it is
/// missing. Throws Error (kBadInput) naming it.
LoadTarget parse_load_target(std::string_view url);

/// A socket that does not block and whose connection is there or on its way. Throws Error (kDevice) naming the URL for a
/// name that is unknown, and for a server that cannot be reached.
class LoadAddress {
 public:
  /// Looks up the name, and tries its addresses until one answers.
  explicit LoadAddress(const LoadTarget& target);
  /// Each time a new one; -1 where the system has no more, with errno.
  int connect() const;

 private:
  std::string bytes_ = {};  // a socket address of the system
  int family_ = 0;
};

}  // namespace skald::serve
