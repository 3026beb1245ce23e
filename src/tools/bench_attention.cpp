#include "tools/bench_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "base/error.h"
#include "tools/attention_model.h"

namespace skald {
namespace {

using Say = std::function<void(const std::string&)>;

constexpr int64_t kCacheBytes = int64_t{600} << 20;  // larger than any last-level cache: layers follow each other cold

double median(std::vector<double> x) {
  std::ranges::sort(x);
  return x[x.size() / 2];
}

/// Caches of enough layers, filled to one length, and steps over them.
class Caches {
 public:
  Caches(const AttentionBenchOptions& o, int64_t length, bool sparse)
      : model_({layers_for(o, length), o.n_heads, o.n_kv_heads, o.d_head}),
        n_layers_(layers_for(o, length)),
        compute_(model_.step_model(), compute_options(o, length, sparse)),
        sequence_(compute_.runner().new_sequence()) {}

  void fill(int64_t n) {
    constexpr int64_t kChunk = 512;
    const std::unique_ptr<Program> program = compute_.backend().compile(
        model_.filling_graph({.tokens = kChunk}), [this](std::string_view name) { return model_.weight(name); });
    for (int64_t done = 0; done < n; done += kChunk) append_only(*program, std::min(kChunk, n - done));
  }

  // One step with a row at the sequence's end, which is then taken back; seconds per layer in attention.
  double decode() {
    const TokenId token = static_cast<TokenId>(sequence_.length() * 7 % AttentionModel::kTokens);
    const int64_t length = sequence_.length();
    const double seconds = step({&token, 1}, true);
    sequence_.truncate(length);
    return seconds;
  }

  double prefill(int64_t n) {
    std::vector<TokenId> tokens;
    for (int64_t i = 0; i < n; ++i) tokens.push_back(static_cast<TokenId>(i * 7 % AttentionModel::kTokens));
    sequence_.truncate(0);
    return step(tokens, false);
  }

  Compute& compute() { return compute_; }
  /// Of the decoding from here on.
  const SparqTimes& time_sparq() {
    compute_.runner().time_sparq(&times_);
    return times_;
  }

 private:
  static int64_t layers_for(const AttentionBenchOptions& o, int64_t length) {
    const int64_t layer = 2 * o.n_kv_heads * o.d_head * length * 2;
    return std::clamp<int64_t>(kCacheBytes / layer, 1, 64);
  }

  static ComputeOptions compute_options(const AttentionBenchOptions& o, int64_t length, bool sparse) {
    ComputeOptions compute = o.compute;
    compute.kv.max_keys = length + 1;
    compute.kv.max_rows = length + 1;
    compute.kv.sparq = sparse ? o.sparq : SparqParams{};
    return compute;
  }

  void append_only(Program& program, int64_t rows) {
    const int64_t begin = sequence_.length();
    if (!sequence_.reserve(begin + rows)) fail(Errc::kNoMemory, "the KV cache has no room for {} tokens", begin + rows);
    std::vector<int32_t> tokens, positions, row_seq(static_cast<size_t>(rows), 0);
    for (int64_t i = begin; i < begin + rows; ++i) {
      tokens.push_back(static_cast<int32_t>(i * 2654435761 % AttentionModel::kTokens));
      positions.push_back(static_cast<int32_t>(i));
    }
    std::vector<KvView> views;
    for (int64_t l = 0; l < n_layers_; ++l) views.push_back(sequence_.view(l));
    StepArgs args{
        .tokens = tokens.data(), .positions = positions.data(), .kv = {views.data(), 1, row_seq.data()}, .stats = {}};
    args.stats.n_tokens = rows;
    program.run(args, nullptr);
    sequence_.set_length(begin + rows);
  }

  double step(std::span<const TokenId> tokens, bool decode) {
    Profile profile;
    const StepItem item{&sequence_, tokens, 1, decode};
    compute_.runner().run({&item, 1}, &profile);
    double seconds = 0;  // fused, or of its parts
    for (const auto& [name, row] : profile.rows)
      if (name.starts_with("attention") || name == "softmax") seconds += row.seconds;
    return seconds / static_cast<double>(n_layers_);
  }

  AttentionModel model_;
  int64_t n_layers_;
  Compute compute_;
  KvSequence sequence_;
  SparqTimes times_;
};

class Bench {
 public:
  Bench(AttentionBenchOptions options, Say say) : o_(std::move(options)), say_(std::move(say)) {}

  AttentionBenchResult run() {
    AttentionBenchResult result{.options = o_, .backend = {}, .rows = {}};
    for (int64_t length : o_.lengths) result.rows.push_back(decode(length, result.backend));
    for (int64_t length : o_.prefill) result.rows.push_back(prefill(length, result.backend));
    return result;
  }

 private:
  AttentionBenchRow decode(int64_t length, BackendInfo& info) {
    AttentionBenchRow row{.test = "decode", .length = length};
    row.dense_seconds = time_decode(length, false, row, info);
    row.dense_bytes = static_cast<double>(o_.n_kv_heads * length * 2 * o_.d_head) * element_bytes();
    row.dense_share = row.dense_bytes / row.dense_seconds * 1e-9 / row.roofline.read_gb_per_s;
    if (!o_.sparq.on()) return row;
    const SparqParams::Choice choice = o_.sparq.choose(length + 1, o_.d_head, o_.d_head);
    row.k1 = choice.k1;
    row.k2 = std::min(choice.k2, length);
    row.sparse_seconds = time_decode(length, true, row, info);
    const double index = o_.sparq.index == "int8" ? 1 : o_.sparq.index == "f16" ? 2 : element_bytes();
    row.sparse_bytes = static_cast<double>(o_.n_kv_heads) * (static_cast<double>(length * row.k1) * index +
                                                             static_cast<double>(row.k2 * 2 * o_.d_head) * element_bytes());
    row.speedup = row.dense_seconds / row.sparse_seconds;
    row.theoretical_speedup = row.dense_bytes / row.sparse_bytes;
    return row;
  }

  double time_decode(int64_t length, bool sparse, AttentionBenchRow& row, BackendInfo& info) {
    say_(fmt::format("{} decode at {} keys", sparse ? "sparse" : "dense", length));
    Caches caches(o_, length, sparse);
    caches.fill(length);
    info = caches.compute().backend().info();
    caches.decode();
    if (!sparse) row.roofline = caches.compute().backend().measure_roofline();
    std::vector<double> seconds;
    seconds.reserve(static_cast<size_t>(o_.repetitions));
    const SparqTimes& times = caches.time_sparq();
    for (int i = 0; i < o_.repetitions; ++i) seconds.push_back(caches.decode());
    if (sparse) set_shares(times, row);
    if (!sparse) {
      const Roofline after = caches.compute().backend().measure_roofline();
      row.roofline.read_gb_per_s = (row.roofline.read_gb_per_s + after.read_gb_per_s) / 2;
    }
    return median(seconds);
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
    Caches caches(o_, length, false);
    info = caches.compute().backend().info();
    caches.prefill(length);
    row.roofline = caches.compute().backend().measure_roofline();
    std::vector<double> seconds;
    seconds.reserve(static_cast<size_t>(o_.repetitions));
    for (int i = 0; i < o_.repetitions; ++i) seconds.push_back(caches.prefill(length));
    row.dense_seconds = median(seconds);
    const double pairs = static_cast<double>(length) * static_cast<double>(length + 1) / 2;
    const double flops = pairs * static_cast<double>(o_.n_heads * o_.d_head) * 4;
    row.dense_share = flops / row.dense_seconds * 1e-9 / row.roofline.f32_gflop_per_s;
    return row;
  }

  double element_bytes() const {
    const KvSpec spec = make_kv_spec({}, o_.compute.kv.storage, 0);
    return static_cast<double>(spec.k_format->block_bytes) / static_cast<double>(spec.k_format->block);
  }

  AttentionBenchOptions o_;
  Say say_;
};

}  // namespace

AttentionBenchResult run_attention_bench(const AttentionBenchOptions& options, const Say& progress) {
  if (options.n_heads < 1 || options.n_kv_heads < 1 || options.n_heads % options.n_kv_heads)
    fail(Errc::kBadInput, "{} query heads do not divide over {} KV heads", options.n_heads, options.n_kv_heads);
  if (options.d_head < 1 || options.d_head > 4096) fail(Errc::kBadInput, "head-dim: want 1 to 4096, got {}", options.d_head);
  if (options.repetitions < 1) fail(Errc::kBadInput, "repetitions: want 1 or more, got {}", options.repetitions);
  for (const std::vector<int64_t>* lengths : {&options.lengths, &options.prefill})
    for (int64_t n : *lengths)
      if (n < 1 || n > (int64_t{1} << 30)) fail(Errc::kBadInput, "lengths: want 1 or more, got {}", n);
  return Bench(
             options, progress ? progress : [](const std::string&) {})
      .run();
}

}  // namespace skald
