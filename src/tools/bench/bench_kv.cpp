#include "tools/bench/bench_kv.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <iterator>

#include "base/checked.h"
#include "base/cpu_topology.h"
#include "base/error.h"
#include "kv/static_manager.h"
#include "tensor/buffer.h"
#include "tools/bench/median.h"

namespace skald {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kLeastTokens = 1024;                 // of a repetition, so that it is long beside the clock's steps
constexpr int64_t kMemmoveBytes = int64_t{256} << 20;  // moved in a repetition of the method that moves everything

// The graph's result for a token: the same row for every window.
std::vector<std::byte> make_row(const StaticKvSpec& spec) {
  int64_t widest = 0;
  for (const AttentionState& layer : spec.layers) widest = std::max({widest, layer.d_k, layer.d_v});
  return std::vector<std::byte>(static_cast<size_t>(widest * spec.element_bytes), std::byte{1});
}

// Stores to `memory` must not be optimised away.
void keep(const void* memory) { asm volatile("" : : "r"(memory) : "memory"); }

// Windows without a reserve: every token moves all rows up by one and puts its own at the end.
class LeftShift {
 public:
  explicit LeftShift(const StaticKvSpec& spec)
      : rows_(spec.window_rows()), size_(static_kv_size(spec)), row_(make_row(spec)), memory_(size_.window_bytes) {
    for (const AttentionState& layer : spec.layers) {
      row_bytes_.insert(row_bytes_.end(), static_cast<size_t>(layer.n_kv_heads), layer.d_k * spec.element_bytes);
      row_bytes_.insert(row_bytes_.end(), static_cast<size_t>(layer.n_kv_heads), layer.d_v * spec.element_bytes);
    }
  }

  void token() {
    std::byte* window = memory_.data();
    for (const int64_t row_bytes : row_bytes_) {
      const int64_t kept = (rows_ - 1) * row_bytes;
      std::memmove(window, window + row_bytes, static_cast<size_t>(kept));
      std::memcpy(window + kept, row_.data(), static_cast<size_t>(row_bytes));
      window += kept + row_bytes;
    }
    keep(memory_.data());
    ++tokens_;
  }

  int64_t bytes() const { return memory_.size(); }
  int64_t copies() const { return tokens_; }
  int64_t copied_bytes() const { return tokens_ * size_.window_bytes; }
  int64_t tokens_per_repetition() const { return std::clamp<int64_t>(kMemmoveBytes / size_.window_bytes, 1, kLeastTokens); }

 private:
  int64_t rows_;
  StaticKvSize size_;
  std::vector<std::byte> row_;
  Buffer memory_;
  std::vector<int64_t> row_bytes_;  // of each window
  int64_t tokens_ = 0;
};

// Windows that move in a reserve, where the graph writes the token's row.
class Reserve {
 public:
  explicit Reserve(const StaticKvSpec& spec) : row_(make_row(spec)), manager_(spec) {}

  void token() {
    const std::vector<AttentionState>& layers = manager_.spec().layers;
    for (int64_t l = 0; l < std::ssize(layers); ++l)
      for (int64_t head = 0; head < layers[static_cast<size_t>(l)].n_kv_heads; ++head) {
        write(manager_.keys(l, head));
        write(manager_.values(l, head));
      }
    manager_.advance();
    keep(manager_.keys(0, 0).input);
  }

  int64_t bytes() const { return manager_.bytes(); }
  int64_t copies() const { return manager_.counters().copies; }
  int64_t copied_bytes() const { return manager_.counters().copied_bytes; }
  // From copy to copy, so that every repetition has its share, and enough to fill the window in the first one.
  int64_t tokens_per_repetition() const {
    const int64_t spare = manager_.spec().spare_rows();
    return round_up(std::max(manager_.spec().window_rows(), kLeastTokens), spare);
  }

 private:
  void write(const StaticWindow& window) { std::memcpy(window.output, row_.data(), static_cast<size_t>(window.row_bytes)); }

  std::vector<std::byte> row_;
  StaticKvManager manager_;
};

template <class Method>
double seconds_of(Method& method, int64_t tokens) {
  const auto start = Clock::now();
  for (int64_t i = 0; i < tokens; ++i) method.token();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

template <class Method>
KvBenchRow measure(const char* name, Method method, int repetitions) {
  const int64_t tokens = method.tokens_per_repetition();
  seconds_of(method, tokens);  // touches all memory and fills the windows
  const int64_t copies = method.copies(), copied_bytes = method.copied_bytes();
  std::vector<double> seconds(static_cast<size_t>(repetitions));
  for (double& s : seconds) s = seconds_of(method, tokens);
  const auto all_tokens = static_cast<double>(tokens * repetitions);
  return {.method = name,
          .bytes = method.bytes(),
          .ns_per_token = median(seconds) / static_cast<double>(tokens) * 1e9,
          .copied_bytes_per_token = static_cast<double>(method.copied_bytes() - copied_bytes) / all_tokens,
          .tokens_per_copy = all_tokens / static_cast<double>(method.copies() - copies)};
}

}  // namespace

KvBenchResult run_kv_bench(const KvBenchOptions& options) {
  if (options.repetitions < 1) fail(Errc::kBadInput, "repetitions {}: want 1 or more", options.repetitions);
  const StaticKvSpec twice = static_kv_spec(options.shape, StaticReserve::kDouble);
  const StaticKvSpec once_and_half = static_kv_spec(options.shape, StaticReserve::kOneAndHalf);
  const StaticKvSize size = static_kv_size(twice);
  return {.shape = options.shape,
          .token_bytes = size.token_bytes,
          .window_bytes = size.window_bytes,
          .cache_bytes = last_level_cache_bytes(),
          .rows = {measure("memmove", LeftShift(twice), options.repetitions),
                   measure("reserve 2.0", Reserve(twice), options.repetitions),
                   measure("reserve 1.5", Reserve(once_and_half), options.repetitions)}};
}

}  // namespace skald
