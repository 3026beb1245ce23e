// Names and keys of shards.
#include "io/gguf_split.h"

#include <charconv>

#include "base/error.h"
#include "io/gguf_format.h"

namespace skald::gguf {
namespace {

constexpr size_t kDigits = 5;

std::optional<int64_t> parse_digits(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

void expect(const Meta& meta, std::string_view key, int64_t want, int64_t number, int64_t count) {
  if (!meta.has(key)) fail(Errc::kBadFile, "its name says shard {} of {}, but the key {} is missing", number, count, key);
  if (const int64_t got = meta.i64(key); got != want)
    fail(Errc::kBadFile, "its name says shard {} of {}, but the key {} is {} instead of {}", number, count, key, got, want);
}

}  // namespace

std::string ShardName::path(int64_t which) const { return fmt::format("{}-{:05}-of-{:05}.gguf", prefix, which, count); }

std::optional<ShardName> parse_shard_name(std::string_view path) {
  constexpr std::string_view kDash = "-", kOf = "-of-", kEnd = ".gguf";
  constexpr size_t kLength = kDash.size() + kDigits + kOf.size() + kDigits + kEnd.size();
  if (path.size() <= kLength) return std::nullopt;
  const std::string_view tail = path.substr(path.size() - kLength);
  constexpr size_t kNumberAt = kDash.size(), kOfAt = kNumberAt + kDigits, kCountAt = kOfAt + kOf.size();
  if (!tail.starts_with(kDash) || tail.substr(kOfAt, kOf.size()) != kOf || !tail.ends_with(kEnd)) return std::nullopt;
  const auto number = parse_digits(tail.substr(kNumberAt, kDigits)), count = parse_digits(tail.substr(kCountAt, kDigits));
  if (!number || !count) return std::nullopt;
  return ShardName{std::string(path.substr(0, path.size() - kLength)), *number, *count};
}

void check_shard(const Meta& meta, int64_t number, int64_t count) {
  if (count == 1 && !meta.has(kSplitCount)) return;
  expect(meta, kSplitCount, count, number, count);
  expect(meta, kSplitNo, number - 1, number, count);
}

void check_tensor_count(const Meta& meta, int64_t number, int64_t tensors) {
  if (!meta.has(kSplitTensors)) {
    if (number == 1) fail(Errc::kBadFile, "the key {} is missing", kSplitTensors);
    return;
  }
  if (const int64_t want = meta.i64(kSplitTensors); want != tensors)
    fail(Errc::kBadFile, "the key {} is {}, but the shards hold {} tensors together", kSplitTensors, want, tensors);
}

void refuse_lone_shard(const Meta& meta) {
  const int64_t count = meta.i64(kSplitCount, 1);
  if (count <= 1) return;
  const ShardName expected{"<name>", meta.i64(kSplitNo, 0) + 1, count};
  fail(Errc::kBadFile, "it is shard {} of {}, whose names must end as in {}", expected.number, count,
       expected.path(expected.number));
}

Meta without_split_keys(const Meta& meta) {
  Meta out;
  for (const auto& [key, value] : meta.entries())
    if (key != kSplitNo && key != kSplitCount && key != kSplitTensors) out.set(key, value);
  return out;
}

}  // namespace skald::gguf
