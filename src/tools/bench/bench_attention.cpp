#include "tools/bench/bench_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "base/error.h"
#include "stepping/cache_options.h"
#include "tools/bench/attention_model.h"
#include "tools/bench/churn.h"
#include "tools/bench/random_kv.h"

namespace skald {
namespace {

using Say = std::function<void(const std::string&)>;

constexpr int64_t kCacheBytes = int64_t{600} << 20;  // larger than any last-level cache: layers follow each other cold

// Attention of one layer, on average over the layers.
struct Call {
  double seconds = 0, bytes = 0, flops = 0;
};

// By time; the others are the same for all.
Call median_call(std::vector<Call> calls) {
  std::ranges::sort(calls, {}, &Call::seconds);
  return calls[calls.size() / 2];
}

enum class Kind : uint8_t { kDense, kSparse, kPrompt, kUnfusedPrompt };

/// Caches of enough layers, filled to one length, and steps over them.
class Caches {
 public:
  Caches(const AttentionBenchOptions& o, int64_t length, Kind kind)
      : model_({layers_for(o, length, kind), o.n_heads, o.n_kv_heads, o.d_head}),
        n_layers_(layers_for(o, length, kind)),
        compute_(model_.step_model(), compute_options(o, length, kind)),
        sequence_(compute_.runner().new_sequence()) {
    if (o.churn && !is_prompt(kind)) others_ = churn(compute_.runner(), *o.churn);
  }

  void fill(int64_t n) { RandomKv(compute_).extend(sequence_, n); }

  // A step with a row at the sequence's end, which is then taken back.
  Call decode() {
    const TokenId token = static_cast<TokenId>(sequence_.length() * 7 % AttentionModel::kTokens);
    const int64_t length = sequence_.length();
    const Call call = step({&token, 1}, true);
    SKALD_ASSERT(sequence_.truncate(length));
    return call;
  }

  Call prefill(int64_t n) {
    std::vector<TokenId> tokens;
    for (int64_t i = 0; i < n; ++i) tokens.push_back(static_cast<TokenId>(i * 7 % AttentionModel::kTokens));
    sequence_.clear();
    return step(tokens, false);
  }

  Compute& compute() { return compute_; }
  /// Of the decoding from here on.
  const SparqTimes& time_sparq() {
    compute_.runner().time_sparq(&times_);
    return times_;
  }

 private:
  static bool is_prompt(Kind kind) { return kind == Kind::kPrompt || kind == Kind::kUnfusedPrompt; }
  // Prompts attend to keys that the same step has just written: a call's time depends on no other layer.
  static int64_t layers_for(const AttentionBenchOptions& o, int64_t length, Kind kind) {
    if (is_prompt(kind)) return 2;
    const int64_t layer = 2 * o.n_kv_heads * o.d_head * length * 2;
    return std::clamp<int64_t>(kCacheBytes / layer, 1, 64);
  }

  static EngineOptions compute_options(const AttentionBenchOptions& o, int64_t length, Kind kind) {
    EngineOptions compute = o.compute;
    compute.cache.n_ctx = length + 1;
    compute.cache.rollback = 1;  // decode() takes its row back
    const int64_t n_parallel = o.churn && !is_prompt(kind) ? kChurnSequences : 1;
    compute.schedule = {.n_parallel = n_parallel, .n_batch = length + 1, .n_ubatch = length + 1};
    compute.cache.sparq = kind == Kind::kSparse ? o.sparq : SparqParams{};
    if (kind == Kind::kUnfusedPrompt) compute.device.fused = false;
    return compute;
  }

  Call step(std::span<const TokenId> tokens, bool decode) {
    Profile profile;
    const StepItem item{&sequence_, tokens, 1, decode};
    compute_.runner().profile(&profile);
    compute_.runner().run({&item, 1});
    compute_.runner().profile(nullptr);
    Call sum;  // fused, or of its parts
    for (const auto& [name, row] : profile.rows)
      if (name.starts_with("attention") || name == "softmax") {
        sum.seconds += row.seconds;
        sum.bytes += row.bytes;
        sum.flops += row.flops;
      }
    const auto n = static_cast<double>(n_layers_);
    return {sum.seconds / n, sum.bytes / n, sum.flops / n};
  }

  AttentionModel model_;
  int64_t n_layers_;
  Compute compute_;
  std::vector<KvSequence> others_;
  KvSequence sequence_;
  SparqTimes times_;
};

class AttentionBench {
 public:
  AttentionBench(AttentionBenchOptions options, Say say) : o_(std::move(options)), say_(std::move(say)) {}

  AttentionBenchResult run() {
    AttentionBenchResult result{.options = o_, .backend = {}, .rows = {}};
    for (int64_t length : o_.lengths)
      if (length) result.rows.push_back(decode(length, result.backend));
    for (int64_t length : o_.prefill)
      if (length) result.rows.push_back(prefill(length, result.backend));
    return result;
  }

 private:
  AttentionBenchRow decode(int64_t length, BackendInfo& info) {
    AttentionBenchRow row{.test = "decode", .length = length};
    const Call dense = time_dense_decode(length, row, info);
    row.dense_seconds = dense.seconds;
    row.dense_bytes = dense.bytes;
    row.dense_share = share_of(dense.bytes / dense.seconds * 1e-9, row.roofline.read_gb_per_s);
    if (!o_.sparq.on()) return row;
    KeySize size{o_.d_head, o_.d_head};
    size.component_bytes = component_bytes(o_.sparq, size);
    const SparqParams::Choice choice = o_.sparq.choose(length + 1, size);
    row.k1 = choice.k1;
    row.k2 = std::min(choice.k2, length);
    const Call sparse = time_sparse_decode(length, row);
    row.sparse_seconds = sparse.seconds;
    row.sparse_bytes = sparse.bytes;
    row.speedup = dense.seconds / sparse.seconds;
    row.theoretical_speedup = dense.bytes / sparse.bytes;
    return row;
  }

  Call time_dense_decode(int64_t length, AttentionBenchRow& row, BackendInfo& info) {
    say_(fmt::format("dense decode at {} keys", length));
    Caches caches(o_, length, Kind::kDense);
    caches.fill(length);
    info = caches.compute().backend().info();
    caches.decode();
    const Roofline before = limits(caches);
    const Call call = repeated([&] { return caches.decode(); });
    row.roofline = mean(before, limits(caches));
    return call;
  }

  Call time_sparse_decode(int64_t length, AttentionBenchRow& row) {
    say_(fmt::format("sparse decode at {} keys", length));
    Caches caches(o_, length, Kind::kSparse);
    caches.fill(length);
    caches.decode();
    const SparqTimes& times = caches.time_sparq();
    const Call call = repeated([&] { return caches.decode(); });
    set_shares(times, row);
    return call;
  }

  template <class Fn>
  Call repeated(Fn call) const {
    std::vector<Call> calls;
    calls.reserve(static_cast<size_t>(o_.repetitions));
    for (int i = 0; i < o_.repetitions; ++i) calls.push_back(call());
    return median_call(std::move(calls));
  }

  Roofline limits(Caches& caches) const {
    return o_.roofline_seconds > 0 ? caches.compute().backend().meter().measure(o_.roofline_seconds) : Roofline{};
  }

  // All 0 where the step was dense.
  static void set_shares(const SparqTimes& times, AttentionBenchRow& row) {
    const auto score = static_cast<double>(times.score), select = static_cast<double>(times.select),
               attend = static_cast<double>(times.attend), sum = std::max(score + select + attend, 1.0);
    row.score_share = score / sum;
    row.select_share = select / sum;
    row.attend_share = attend / sum;
  }

  AttentionBenchRow prefill(int64_t length, BackendInfo& info) {
    say_(fmt::format("prefill of {} tokens", length));
    AttentionBenchRow row{.test = "prefill", .length = length};
    Caches caches(o_, length, Kind::kPrompt);
    info = caches.compute().backend().info();
    caches.prefill(length);
    const Roofline before = limits(caches);
    const Call call = repeated([&] { return caches.prefill(length); });
    row.roofline = mean(before, limits(caches));
    row.dense_seconds = call.seconds;
    row.dense_bytes = call.bytes;
    row.dense_share = share_of(call.flops / call.seconds * 1e-9, row.roofline.f32_gflop_per_s);
    if (!o_.unfused) return row;
    say_(fmt::format("unfused prefill of {} tokens", length));
    row.unfused_seconds = time_unfused_prefill(length);
    row.fused_speedup = row.unfused_seconds / row.dense_seconds;
    return row;
  }

  double time_unfused_prefill(int64_t length) const {
    Caches caches(o_, length, Kind::kUnfusedPrompt);
    caches.prefill(length);
    return repeated([&] { return caches.prefill(length); }).seconds;
  }

  AttentionBenchOptions o_;
  Say say_;
};

}  // namespace

AttentionBenchResult run_attention_bench(const AttentionBenchOptions& options, const Say& progress) {
  if (options.n_heads < 1 || options.n_kv_heads < 1 || options.n_heads % options.n_kv_heads)
    fail(Errc::kBadInput, "{} query heads do not divide over {} KV heads", options.n_heads, options.n_kv_heads);
  if (options.d_head < 1 || options.d_head > 4096) fail(Errc::kBadInput, "d_head: want 1 to 4096, got {}", options.d_head);
  if (options.repetitions < 1) fail(Errc::kBadInput, "repetitions: want 1 or more, got {}", options.repetitions);
  for (const std::vector<int64_t>* lengths : {&options.lengths, &options.prefill})
    for (int64_t n : *lengths)
      if (n < 0 || n > (int64_t{1} << 30)) fail(Errc::kBadInput, "lengths: want 0 (none) or more, got {}", n);
  return AttentionBench(
             options, progress ? progress : [](const std::string&) {})
      .run();
}

}  // namespace skald
