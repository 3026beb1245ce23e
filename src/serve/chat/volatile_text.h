// VolatileText: text that clients put in front of the system text. It changes from request to request, and would keep chats
// from sharing pages.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "serve/json.h"
#include "text/name_pattern.h"

namespace skald::serve {

class VolatileText {
 public:
  /// Regular expressions, each of a whole block or line. Throws Error (kBadInput) for one that is wrong.
  explicit VolatileText(const std::vector<std::string>& expressions);

  /// Leaves out of the first message, if it is the system's, its blocks that match, or its text's first line. Says how many
  /// bytes went.
  int64_t take_from(Json& messages) const;

 private:
  bool is_volatile(std::string_view text) const;
  int64_t take_line(std::string& text) const;

  std::vector<NamePattern> patterns_;
};

}  // namespace skald::serve
