// Words in any case.
#pragma once

#include <string>
#include <string_view>

namespace skald {

/// `text` with A to Z as a to z; other bytes stay.
inline std::string lowercase(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

}  // namespace skald
