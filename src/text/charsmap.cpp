#include "text/charsmap.h"

#include <algorithm>
#include <cstring>

#include "base/error.h"

namespace skald {
namespace {

// The values of real files are far below: the bounds keep hostile ones from making a text long or the search slow.
constexpr size_t kLongestKey = 64, kLongestResult = 1024;

// A unit of the array: the label by which it is reached in bits 0 to 7, and the place of its children, XORed with its own. A
// unit with the highest bit set is a value, the child of the label 0 of a unit that has one.
constexpr uint32_t kIsValue = 1u << 31;
uint32_t offset_of(uint32_t unit) { return unit >> 10 << ((unit & 1u << 9) >> 6); }
uint32_t label_of(uint32_t unit) { return unit & (kIsValue | 0xFF); }
bool has_value(uint32_t unit) { return unit & 1u << 8; }
uint32_t value_of(uint32_t unit) { return unit & ~kIsValue; }

uint32_t read_u32(std::string_view bytes, size_t at) {
  uint32_t out = 0;
  for (size_t i = 4; i > 0; --i) out = out << 8 | static_cast<uint8_t>(bytes[at + i - 1]);
  return out;
}

void check_results(std::string_view results) {
  if (results.empty() || results.back() != '\0') fail(Errc::kBadFile, "the last replacement has no end");
  for (size_t at = 0; at < results.size();) {
    const size_t length = results.find('\0', at) - at;
    if (length > kLongestResult)
      fail(Errc::kBadFile, "a replacement of {} bytes at {}: the limit is {}", length, at, kLongestResult);
    at += length + 1;
  }
}

}  // namespace

Charsmap::Charsmap(std::string_view bytes) {
  if (bytes.size() < 4) fail(Errc::kBadFile, "{} bytes are too few for a map of characters", bytes.size());
  const size_t size = read_u32(bytes, 0);
  if (size % 4 != 0 || size > bytes.size() - 4)
    fail(Errc::kBadFile, "a double array of {} bytes in a map of {}", size, bytes.size());
  units_.reserve(size / 4);
  for (size_t at = 4; at < 4 + size; at += 4) units_.push_back(read_u32(bytes, at));
  results_ = bytes.substr(4 + size);
  if (units_.empty()) return;
  check_results(results_);
  for (uint32_t unit : units_) {
    if ((unit & kIsValue) && value_of(unit) >= results_.size())
      fail(Errc::kBadFile, "a replacement at {} of {} bytes", value_of(unit), results_.size());
  }
}

std::optional<Charsmap::Match> Charsmap::match(std::string_view text) const {
  if (units_.empty()) return std::nullopt;
  std::optional<Match> best;
  uint32_t place = offset_of(units_[0]);
  for (size_t i = 0; i < std::min(text.size(), kLongestKey); ++i) {
    const auto label = static_cast<uint8_t>(text[i]);
    place ^= label;
    if (label == 0 || place >= units_.size() || label_of(units_[place]) != label) break;
    const uint32_t unit = units_[place];
    place ^= offset_of(unit);
    if (!has_value(unit) || place >= units_.size() || !(units_[place] & kIsValue)) continue;
    best = Match{i + 1, results_.data() + value_of(units_[place])};
  }
  return best;
}

}  // namespace skald
