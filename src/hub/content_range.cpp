#include "hub/content_range.h"

#include <charconv>
#include <optional>

#include "base/error.h"
#include "io/printable.h"

namespace skald {
namespace {

// The number at the front, which is taken off with the character after it.
std::optional<int64_t> take_number(std::string_view& text, char after) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || value < 0) return std::nullopt;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  if (after) {
    if (!text.starts_with(after)) return std::nullopt;
    text.remove_prefix(1);
  }
  return value;
}

}  // namespace

void check_content_range(std::string_view header, int64_t from, int64_t size) {
  std::string_view rest = header;
  const bool bytes = rest.starts_with("bytes ");
  if (bytes) rest.remove_prefix(6);
  const auto first = take_number(rest, '-'), last = take_number(rest, '/');
  const bool any_size = rest == "*";
  const auto total = any_size ? std::optional(size) : take_number(rest, '\0');
  const bool right = bytes && first == from && last && *last < size && total == size && (any_size || rest.empty());
  if (!right)
    fail(Errc::kBadFile, "the server was asked for the bytes from {} of {}, and says that it sends {}", from, size,
         skald::quoted(header));
}

}  // namespace skald
