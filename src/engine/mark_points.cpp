#include "engine/mark_points.h"

#include <algorithm>

namespace skald {
namespace {

constexpr int64_t kChunk = 64;    // positions are multiples of it: what computes a prompt in chunks is not cut within one
constexpr int64_t kMessages = 4;  // whose ends are marked

int64_t in_chunks(int64_t n) { return n - n % kChunk; }

}  // namespace

std::vector<int64_t> mark_points(std::span<const TokenId> prompt, int64_t from, const CheckpointOptions& options,
                                 const std::function<bool(TokenId)>& ends_message) {
  const int64_t n = std::ssize(prompt);
  std::vector<int64_t> out = {n, in_chunks(n - 1)};
  for (int64_t i = n - 1, messages = 0; ends_message && i >= from && messages < kMessages; --i) {
    if (!ends_message(prompt[static_cast<size_t>(i)])) continue;
    out.push_back(in_chunks(i + 1));
    ++messages;
  }
  const int64_t step = in_chunks(options.step);
  for (int64_t at = step; step > 0 && at < n; at += step) out.push_back(at);
  std::erase_if(out, [from](int64_t at) { return at <= from; });
  std::ranges::sort(out);
  out.erase(std::ranges::unique(out).begin(), out.end());
  // The end of a long prompt is where a conversation goes on.
  if (std::ssize(out) > options.most) out.erase(out.begin(), out.end() - options.most);
  return out;
}

}  // namespace skald
