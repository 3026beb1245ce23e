#include "kv/disk/record_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/error.h"

namespace skald {
namespace {

constexpr std::string_view kPageEnding = ".page", kCheckpointEnding = ".cut", kWindowEnding = ".window";
constexpr int kMostGroups = 1000;
constexpr size_t kDigits = 2 * sizeof(PageKey);

std::optional<int> digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return {};
}

std::optional<PageKey> key_of(std::string_view digits) {
  PageKey key;
  for (size_t i = 0; i < key.size(); ++i) {
    const std::optional<int> high = digit(digits[2 * i]), low = digit(digits[2 * i + 1]);
    if (!high || !low) return {};
    key[i] = static_cast<std::byte>(*high << 4 | *low);
  }
  return key;
}

std::optional<RecordPart> part_of(std::string_view ending) {
  if (ending == kPageEnding) return RecordPart{};
  if (ending == kCheckpointEnding) return RecordPart{RecordPart::kCheckpoint};
  if (!ending.starts_with(kWindowEnding)) return {};
  const std::string_view number = ending.substr(kWindowEnding.size());
  int group = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), group);
  const bool canonical = number.size() == 1 || !number.starts_with('0');
  if (error != std::errc{} || end != number.data() + number.size() || !canonical || group < 0 || group >= kMostGroups)
    return {};
  return RecordPart{group};
}

}  // namespace

PageKey root_key(const Sha256Sum& fingerprint, std::string_view scope) { return hmac_sha256(scope, fingerprint); }

PageKey next_key(const PageKey& before, std::span<const TokenId> tokens) {
  SKALD_ASSERT(std::ssize(tokens) == kPageKeys);
  return sha256({before, std::as_bytes(tokens)});
}

std::vector<PageKey> page_keys(const PageKey& root, std::span<const TokenId> tokens) {
  std::vector<PageKey> keys;
  for (; std::ssize(tokens) >= kPageKeys; tokens = tokens.subspan(kPageKeys))
    keys.push_back(next_key(keys.empty() ? root : keys.back(), tokens.first(kPageKeys)));
  return keys;
}

std::string file_name(const RecordName& name) {
  const std::string digits = hexadecimal(name.key);
  if (name.part.is_page()) return digits + std::string(kPageEnding);
  if (name.part.number == RecordPart::kCheckpoint) return digits + std::string(kCheckpointEnding);
  return fmt::format("{}{}{}", digits, kWindowEnding, name.part.number);
}

std::optional<RecordName> record_named(std::string_view file) {
  if (file.size() <= kDigits) return {};
  const std::optional<PageKey> key = key_of(file.substr(0, kDigits));
  const std::optional<RecordPart> part = part_of(file.substr(kDigits));
  if (!key || !part) return {};
  return RecordName{*key, *part};
}

}  // namespace skald
