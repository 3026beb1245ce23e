#include "engine/mark_points.h"

#include <algorithm>

namespace skald {
namespace {

constexpr int64_t kChunk = 64;  // positions are multiples of it: steps that compute in chunks are not cut within one

int64_t in_chunks(int64_t n) { return n - n % kChunk; }

// The last places in the newest `most` messages.
void add_messages(std::vector<int64_t>& out, std::span<const TokenId> prompt, int64_t from, int64_t most,
                  const std::function<bool(TokenId)>& ends_message) {
  for (int64_t i = std::ssize(prompt) - 1, messages = 0; ends_message && i >= from && messages < most; --i) {
    if (!ends_message(prompt[static_cast<size_t>(i)])) continue;
    out.push_back(in_chunks(i + 1));
    ++messages;
  }
}

void add_steps(std::vector<int64_t>& out, int64_t n, int64_t step) {
  for (int64_t at = step; step > 0 && at < n; at += step) out.push_back(at);
}

void sort_behind(int64_t from, std::vector<int64_t>& points) {
  std::erase_if(points, [from](int64_t at) { return at <= from; });
  std::ranges::sort(points);
  points.erase(std::ranges::unique(points).begin(), points.end());
}

}  // namespace

std::vector<int64_t> mark_points(std::span<const TokenId> prompt, int64_t from, const CheckpointOptions& options,
                                 const std::function<bool(TokenId)>& ends_message) {
  constexpr int64_t kMessages = 4;
  const int64_t n = std::ssize(prompt);
  std::vector<int64_t> out = {n, in_chunks(n - 1)};
  add_messages(out, prompt, from, kMessages, ends_message);
  add_steps(out, n, in_chunks(options.step));
  sort_behind(from, out);
  // The end of a long prompt is where a conversation goes on.
  if (std::ssize(out) > options.most) out.erase(out.begin(), out.end() - options.most);
  return out;
}

std::vector<int64_t> state_points(std::span<const TokenId> prompt, int64_t from,
                                  const std::function<bool(TokenId)>& ends_message) {
  constexpr int64_t kMessages = 64, kStep = 4096;
  const int64_t n = std::ssize(prompt);
  std::vector<int64_t> out = {in_chunks(n - 1)};
  add_messages(out, prompt.first(static_cast<size_t>(n - 1)), from, kMessages, ends_message);
  add_steps(out, n, kStep);
  sort_behind(from, out);
  return out;
}

}  // namespace skald
