#include "serve/batch/batch_shard.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <system_error>

#include "base/error.h"
#include "base/number_from_chars.h"
#include "base/terminal_text.h"

namespace skald::serve {
namespace {

std::optional<int64_t> number_in(std::string_view text) {
  int64_t out = 0;
  const auto [stop, error] = number_from_chars(text.data(), text.data() + text.size(), out);
  if (error != std::errc{} || stop != text.data() + text.size() || out < 0) return {};
  return out;
}

}  // namespace

std::string BatchShard::file(const std::string& whole) const {
  const std::filesystem::path path(whole);
  const std::string name = fmt::format("{}.{}-of-{}{}", path.stem().string(), index, count, path.extension().string());
  return (path.parent_path() / name).string();
}

BatchShard read_batch_shard(std::string_view text) {
  const size_t slash = text.find('/');
  const auto index = number_in(text.substr(0, slash));
  const auto count = slash == text.npos ? std::nullopt : number_in(text.substr(slash + 1));
  if (!index || !count) fail(Errc::kBadInput, "'{}': want I/N, as 0/8", terminal_text(text));
  if (*count < 1 || *count > BatchShard::kMost)
    fail(Errc::kBadInput, "{}: want 1 to {} shards", terminal_text(text), BatchShard::kMost);
  if (*index >= *count)
    fail(Errc::kBadInput, "{}: want 0 to {}: shards are counted from 0", terminal_text(text), *count - 1);
  return {*index, *count};
}

}  // namespace skald::serve
