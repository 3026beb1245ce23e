// StoreUrl: the parts of --prefix-cache-url.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace skald {

struct StoreUrl {
  std::string scheme = {}, user = {}, password = {}, host = {}, path = {};  // path: without the first slash
  int port = 0;                                                             // 0: not said
  std::map<std::string, std::string> parameters = {};

  /// Takes a parameter out, so that unknown ones are left. Empty where it is not there.
  std::string take(const std::string& name);
  /// Throws kBadInput naming a parameter that is left.
  void check_taken() const;
};

/// Throws kBadInput. Messages do not show the text, which may hold a password.
StoreUrl read_store_url(const std::string& text);

}  // namespace skald
