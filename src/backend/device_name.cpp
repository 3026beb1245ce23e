#include "backend/device_name.h"

#include <algorithm>
#include <charconv>

namespace skald {

DeviceName device_name(std::string_view text) {
  const size_t letters = text.find_last_not_of("0123456789") + 1;  // 0: there are none
  DeviceName out{.backend = std::string(text.substr(0, letters))};
  std::ranges::transform(out.backend, out.backend.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  const std::string_view digits = text.substr(letters);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out.number);
  out.numbered = error == std::errc();
  if (!digits.empty() && !out.numbered) out.backend = text;  // no number: it names nothing
  return out;
}

}  // namespace skald
