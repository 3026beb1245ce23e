// AttentionBench: drives the CPU's kv_append and attention on a cache of one layer, with random queries, keys and values.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <vector>

#include "backend/cpu/cpu_backend.h"
#include "graph/ops/attention.h"
#include "graph/ops/kv_append.h"
#include "kv/sequence.h"
#include "tests/support/random.h"

namespace skald::test {

/// A layer, its cache, and the machine.
struct AttentionSetup {
  std::string_view tier = {};
  int threads = 1;
  Attention a = {};
  KvStorage storage = {};
  KvLimits limits = {};
  SparqParams sparq = {};  // of sparse steps
};

/// Keys and values of a layer as the cache holds them, by position: (positions, n_kv_heads * d). Keys that become codes, as
/// they came.
struct CachedRows {
  std::vector<double> k, v;
};

/// The inputs of one sequence, and its output.
struct BenchSequence {
  std::vector<float> q, q_kept, k, v;  // (max positions, heads * d)
  std::vector<float> out;              // (positions so far, n_heads * d_v)
  std::vector<char> generated;         // (positions so far): of a decoding step rather than of a prompt
  CachedRows cached;
  int64_t keep = 0, dropped = 0;
  std::unique_ptr<KvSequence> kv;
};

class AttentionBench {
 public:
  /// Rows that a sequence adds in a step.
  struct Share {
    size_t sequence;
    int64_t rows;
  };

  /// Each sequence may get `positions` rows in all.
  AttentionBench(const AttentionSetup& setup, int64_t positions)
      : a_(setup.a),
        backend_(setup.threads, setup.tier),
        cache_(make_kv_spec({AttentionState{a_.n_kv_heads, a_.d_k, a_.d_v, a_.window.size}}, setup.storage,
                            setup.limits.max_keys),
               setup.limits),
        sparq_(setup.sparq),
        sink_logits_(normal(a_.n_heads, 99)) {
    a_.max_keys = setup.limits.max_keys;
    a_.sparse = sparq_.on();
    for (int64_t i = 0; i < setup.limits.n_sequences; ++i) {
      const auto seed = static_cast<uint64_t>(10 * i + 1);
      BenchSequence s{.q = normal(positions * a_.n_heads * a_.d_k, seed),
                      .q_kept = normal(positions * a_.n_heads * a_.d_k, seed + 1),
                      .k = uneven(normal(positions * a_.n_kv_heads * a_.d_k, seed + 2)),
                      .v = normal(positions * a_.n_kv_heads * a_.d_v, seed + 3),
                      .out = {},
                      .generated = {},
                      .cached = {},
                      .kv = std::make_unique<KvSequence>(cache_)};
      sequences_.push_back(std::move(s));
    }
  }

  /// One step with rows of these sequences in this order: single ones are generated, unless they would be sparse then, and
  /// others of prompts.
  void step(const std::vector<Share>& shares) { run(shares, /*attend=*/true, Origin::kMixed); }
  /// The same, all of prompts.
  void prompt(const std::vector<Share>& shares) { run(shares, /*attend=*/true, Origin::kPrompt); }
  /// The same, all generated: these read few keys where the bench is sparse.
  void generate(const std::vector<Share>& shares) { run(shares, /*attend=*/true, Origin::kGenerated); }
  /// A step of generated rows that measures: (n_kv_heads, rows), as SparqPolicy::errors.
  std::vector<float> measured_step(const Share& share) {
    std::vector<float> errors(static_cast<size_t>(a_.n_kv_heads * share.rows), 0);
    measuring_ = {.heads = a_.n_kv_heads, .errors = errors.data(), .rows = share.rows};
    generate({share});
    measuring_ = {};
    return errors;
  }
  /// Only fills the cache; the results of these rows are zero.
  void append(size_t sequence, int64_t rows) {
    for (const int64_t most = cache_.limits().max_rows; rows > 0; rows -= most)
      run({{sequence, std::min(rows, most)}}, /*attend=*/false, Origin::kPrompt);
  }
  void drop(size_t sequence, int64_t keep, int64_t n) {
    BenchSequence& s = sequences_[sequence];
    s.kv->drop(keep, n);
    s.keep = keep;
    s.dropped += n;
  }
  /// Forgets the keys from position n on, and the results of their rows.
  void truncate(size_t sequence, int64_t n) {
    BenchSequence& s = sequences_[sequence];
    EXPECT_TRUE(s.kv->truncate(n));
    s.out.resize(static_cast<size_t>(n * a_.n_heads * a_.d_v));
    s.generated.resize(static_cast<size_t>(n));
    s.cached.k.resize(static_cast<size_t>(n * a_.n_kv_heads * a_.d_k));
    s.cached.v.resize(static_cast<size_t>(n * a_.n_kv_heads * a_.d_v));
  }
  /// For sequences without rows.
  void set_prefix(size_t sequence, int64_t n) { sequences_[sequence].kv->set_prefix(n); }
  /// Feeds the row at position n and later ones with the inputs of those `skip` later.
  void skip_rows(size_t sequence, int64_t n, int64_t skip) {
    BenchSequence& s = sequences_[sequence];
    for (const auto& [x, cols] : {std::pair{&s.q, a_.n_heads * a_.d_k},
                                  {&s.q_kept, a_.n_heads * a_.d_k},
                                  {&s.k, a_.n_kv_heads * a_.d_k},
                                  {&s.v, a_.n_kv_heads * a_.d_v}})
      x->erase(x->begin() + n * cols, x->begin() + (n + skip) * cols);
  }
  std::span<const float> out(size_t sequence, int64_t from = 0) const {
    return std::span(sequences_[sequence].out).subspan(static_cast<size_t>(from * a_.n_heads * a_.d_v));
  }
  const Attention& layer() const { return a_; }
  const BenchSequence& sequence(size_t i) const { return sequences_[i]; }
  size_t n_sequences() const { return sequences_.size(); }
  std::span<const float> sink_logits() const { return sink_logits_; }  // (n_heads)
  const KvSpec& spec() const { return cache_.spec(); }
  int64_t sinks() const { return cache_.limits().sinks; }
  const SparqParams& sparq() const { return sparq_; }

 private:
  struct Matrix {
    std::vector<float> values;
    int64_t cols = 0;
    TensorView view() {
      const int64_t rows = cols ? static_cast<int64_t>(values.size()) / cols : 0;
      return {reinterpret_cast<std::byte*>(values.data()), {&format_f32, Shape{rows, cols}}};
    }
  };

  // Keys some of whose components vary more than others, from 1/4 to 7/4, and lie beside 0.
  std::vector<float> uneven(std::vector<float> k) const {
    for (size_t i = 0; i < k.size(); ++i) {
      const int64_t c = static_cast<int64_t>(i) % a_.d_k;
      const float share = static_cast<float>(c * 11 % a_.d_k) / static_cast<float>(a_.d_k);
      k[i] = k[i] * (0.25f + 1.5f * share) + (c % 8 == 0 ? 0.5f : 0);
    }
    return k;
  }

  // The rows of the step, put together from those of its sequences.
  Matrix gather(const std::vector<Share>& shares, std::vector<float> BenchSequence::*from, int64_t cols) const {
    Matrix rows{.values = {}, .cols = cols};
    for (const Share& share : shares) {
      const BenchSequence& s = sequences_[share.sequence];
      const float* first = (s.*from).data() + s.kv->length() * cols;
      rows.values.insert(rows.values.end(), first, first + share.rows * cols);
    }
    return rows;
  }

  // With exactly the scratch that the operation asked for, and the bytes that earlier calls left in it.
  void call(const OpDef& op, const Attrs& attrs, const StepArgs& step, std::vector<TensorView> in, TensorView out) {
    constexpr int64_t kGuard = 256;
    const CpuOp& cpu = **std::ranges::find(cpu_ops(), &op, &CpuOp::op);
    std::vector<ValueDesc> descs;
    for (const TensorView& t : in) descs.push_back({t.desc.format, t.desc.shape, Rows::kTokens});
    const int64_t bytes = cpu.plan(attrs, {backend_.kernels(), backend_.pool().size(), descs, in});
    if (scratch_.size() < bytes + kGuard) scratch_ = Buffer(bytes + kGuard);
    std::fill_n(scratch_.data() + bytes, kGuard, std::byte{0xa5});
    CpuContext cx{backend_.pool(), backend_.kernels(), &step, scratch_.data()};
    cpu.run(cx, attrs, {in, out});
    ASSERT_EQ(std::count(scratch_.data() + bytes, scratch_.data() + bytes + kGuard, std::byte{0xa5}), kGuard) << op.name;
  }

  enum class Origin { kMixed, kPrompt, kGenerated };
  bool decode(Origin origin, int64_t n) const {
    return origin == Origin::kMixed ? n == 1 && !a_.sparse : origin == Origin::kGenerated;
  }

  void run(const std::vector<Share>& shares, bool attend, Origin origin) {
    std::vector<int32_t> positions, row_seq;
    std::vector<KvView> views;
    SparqPolicy policy = measuring_;
    policy.params = sparq_.on() ? &sparq_ : nullptr;
    const std::vector<SparqPolicy> sparq(shares.size(), policy);
    for (size_t i = 0; i < shares.size(); ++i) {
      KvSequence& kv = *sequences_[shares[i].sequence].kv;
      ASSERT_TRUE(kv.reserve(kv.length() + shares[i].rows));
      for (int64_t r = 0; r < shares[i].rows; ++r) {
        positions.push_back(static_cast<int32_t>(kv.length() + r));
        row_seq.push_back(static_cast<int32_t>(i));
      }
      views.push_back(kv.view(0));
      views.back().decode = decode(origin, shares[i].rows);
      views.back().in_order = true;
    }
    const StepArgs step{.positions = positions.data(),
                        .kv = {views.data(), nullptr, static_cast<int64_t>(views.size()), row_seq.data(), sparq.data()},
                        .stats = {.sequences = {}}};
    Matrix q = gather(shares, &BenchSequence::q, a_.n_heads * a_.d_k),
           q_kept = gather(shares, &BenchSequence::q_kept, a_.n_heads * a_.d_k),
           k = gather(shares, &BenchSequence::k, a_.n_kv_heads * a_.d_k),
           v = gather(shares, &BenchSequence::v, a_.n_kv_heads * a_.d_v), sinks{sink_logits_, a_.n_heads},
           out{std::vector<float>(positions.size() * static_cast<size_t>(a_.n_heads * a_.d_v)), a_.n_heads * a_.d_v};
    call(op_kv_append, Attrs(KvAppend{a_.n_kv_heads, 0}), step, {k.view(), v.view()}, {});
    for (size_t i = 0; i < shares.size(); ++i) read_cache(sequences_[shares[i].sequence], views[i], shares[i].rows);
    std::vector<TensorView> in = {q.view(), k.view()};
    if (a_.sink_logits) in.push_back(sinks.view());
    if (a_.kept_queries) in.push_back(q_kept.view());
    if (attend) call(op_attention, Attrs(a_), step, in, out.view());
    scatter(shares, views, out);
  }

  void scatter(const std::vector<Share>& shares, const std::vector<KvView>& views, const Matrix& out) {
    const float* next = out.values.data();
    for (size_t i = 0; i < shares.size(); ++i) {
      const Share& share = shares[i];
      BenchSequence& s = sequences_[share.sequence];
      s.generated.insert(s.generated.end(), static_cast<size_t>(share.rows), views[i].decode);
      s.out.insert(s.out.end(), next, next + share.rows * out.cols);
      next += share.rows * out.cols;
      s.kv->set_length(s.kv->length() + share.rows);
    }
  }

  // Reads the cached keys and values of the rows just appended, before any of them is dropped.
  void read_cache(BenchSequence& s, const KvView& kv, int64_t rows) const {
    for (int64_t position = s.kv->length(); position < s.kv->length() + rows; ++position)
      for (int64_t head = 0; head < a_.n_kv_heads; ++head) {
        const std::vector<double> k = cached_key(kv, head, position - kv.shift),
                                  v = cached_value(kv, head, position - kv.shift);
        s.cached.k.insert(s.cached.k.end(), k.begin(), k.begin() + a_.d_k);
        s.cached.v.insert(s.cached.v.end(), v.begin(), v.begin() + a_.d_v);
      }
  }

  std::vector<double> cached_key(const KvView& kv, int64_t head, int64_t slot) const {
    const Format& format = *spec().k_format;
    std::vector<float> key(static_cast<size_t>(kv_columns(format, a_.d_k)));
    if (kv.k_codes != KeyCodes::kNone) {
      format.decode(kv.open_row(head, slot), key.data(), static_cast<int64_t>(key.size()));
    } else if (kv.k_order == KeyOrder::kRows) {
      format.decode(kv.k_row(head, slot), key.data(), static_cast<int64_t>(key.size()));
    } else {
      for (int64_t c = 0; c < a_.d_k; ++c)
        format.decode(kv.k_page(head, slot) + c * kv.k_stride + slot % kPageKeys * format.block_bytes,
                      &key[static_cast<size_t>(c)], 1);
    }
    return plain(key, kv.k_rotated);
  }

  std::vector<double> cached_value(const KvView& kv, int64_t head, int64_t slot) const {
    const Format& format = *spec().v_format;
    std::vector<float> value(static_cast<size_t>(kv_columns(format, a_.d_v)));
    format.decode(kv.v_row(head, slot), value.data(), static_cast<int64_t>(value.size()));
    return plain(value, kv.v_rotated);
  }

  // The Hadamard transform undone, which is its own inverse: that of 2n values is made of two of n, their sum and
  // difference.
  static std::vector<double> plain(const std::vector<float>& x, bool rotated) {
    std::vector<double> out(x.begin(), x.end());
    if (!rotated) return out;
    const auto block = static_cast<size_t>(hadamard_block(static_cast<int64_t>(x.size())));
    for (size_t n = 1; n < block; n *= 2)
      for (size_t i = 0; i < out.size(); i += i % (2 * n) == n - 1 ? n + 1 : 1) {
        const double sum = out[i] + out[i + n], difference = out[i] - out[i + n];
        out[i] = sum;
        out[i + n] = difference;
      }
    for (double& value : out) value /= std::sqrt(static_cast<double>(block));
    return out;
  }

  Attention a_;
  CpuBackend backend_;
  KvCache cache_;
  Buffer scratch_;
  SparqPolicy measuring_ = {};  // of the running step
  SparqParams sparq_;
  std::vector<float> sink_logits_;
  std::vector<BenchSequence> sequences_;
};

}  // namespace skald::test
