#include "backend/cpu/attention/sparq.h"

#include <chrono>
#include <cmath>

#include "backend/cpu/attention/value_sums.h"

namespace skald {
namespace {

/// Adds the time since it was made, or since the last lap, where `times` is given.
class Stopwatch {
 public:
  explicit Stopwatch(SparqTimes* times) : times_(times) {
    if (times_) last_ = Clock::now();
  }
  void lap(std::atomic<int64_t> SparqTimes::*step) {
    if (!times_) return;
    const Clock::time_point now = Clock::now();
    (times_->*step).fetch_add(std::chrono::nanoseconds(now - last_).count(), std::memory_order_relaxed);
    last_ = now;
  }

 private:
  using Clock = std::chrono::steady_clock;
  SparqTimes* times_;
  Clock::time_point last_ = {};
};

// Most keys of a row, and the slots that aligning them takes. A window may come to the kept keys when others were dropped.
int64_t capacity(const AttentionJob& job) {
  return round_up(job.a.max_keys + std::min(job.a.window.size, job.a.max_keys), kPageKeys) + 4 * kPageKeys;
}

// The selector's stages lie between the first one and the last two.
constexpr size_t kLoad = 0, kSelector = 1;

using Selector = std::variant<SparqSelector, PageSelector>;
Selector make_selector(const AttentionJob& job, const SparqPolicy& policy, const KvView& kv, int64_t row, int64_t kv_head,
                       const Candidates& candidates, const SparqScratch& s, int64_t width) {
  if (policy.params->selector == KeySelection::kPages)
    return Selector(std::in_place_type<PageSelector>, job, *policy.params, kv, row, kv_head, candidates, s.bounds,
                    s.selector.keys);
  return Selector(std::in_place_type<SparqSelector>, job, policy, kv, row, kv_head, candidates, s.selector, s.bounds, width);
}

}  // namespace

SparqScratch::SparqScratch(const AttentionJob& job, Scratch& scratch)
    : dense(job, 1, scratch),
      selector(job, capacity(job), scratch),
      bounds(job, capacity(job), scratch),
      parts(scratch.take(gather_parts(capacity(job)) * SoftmaxState::floats(job.group(), job.out_stride()))),
      mean(scratch.take(job.out_stride())),
      run_sum(scratch.take(job.out_stride())),
      key_rows(scratch.take<std::byte>(gather_row_bytes(job))),
      few_out(scratch.take(job.a.n_heads * job.a.d_v)) {}

SparqRow::SparqRow(const AttentionJob& job, const SparqPolicy& policy, const KvView& kv, int64_t row, int64_t kv_head,
                   const SparqScratch& s, int64_t width)
    : job_(job),
      kv_(kv),
      row_(row),
      head_(kv_head),
      candidates_(candidates_of(job, kv, row)),
      s_(s),
      selector_(make_selector(job, policy, kv, row, kv_head, candidates_, s, width)) {}

const KeySelector& SparqRow::selector() const {
  return std::visit([](const auto& s) -> const KeySelector& { return s; }, selector_);
}
KeySelector& SparqRow::selector() {
  return std::visit([](auto& s) -> KeySelector& { return s; }, selector_);
}

size_t SparqRow::attend_stage() const { return kSelector + selector().stages(); }
size_t SparqRow::stages() const { return attend_stage() + 2; }

int64_t SparqRow::parts(size_t stage) const {
  if (stage == kLoad) return 1;
  if (stage < attend_stage()) return selector().parts(stage - kSelector);
  return stage == attend_stage() ? gather_parts(selector().n_keys()) : 1;
}

std::atomic<int64_t> SparqTimes::*SparqRow::step(size_t stage) const {
  if (stage == kLoad) return &SparqTimes::score;
  if (stage >= attend_stage()) return &SparqTimes::attend;
  return selector().scores(stage - kSelector) ? &SparqTimes::score : &SparqTimes::select;
}

void SparqRow::run(size_t stage, int64_t part, std::byte* key_rows) {
  if (stage == kLoad) return load_row(job_, kv_, row_, {head_, 1}, s_.dense);
  if (stage == attend_stage()) return attend(part, key_rows);
  if (stage > attend_stage()) return finish();
  selector().run(stage - kSelector, part);
}

RowQueries SparqRow::queries() const {
  const DecodeScratch::Head& own = s_.dense.heads[0];
  const int64_t own_page = job_.own_page(kv_, row_);
  return {queries_of(own, false, job_.group(), own_page), queries_of(own, true, job_.group(), own_page)};
}

SoftmaxState SparqRow::state(int64_t part) const {
  const int64_t floats = SoftmaxState::floats(job_.group(), job_.out_stride());
  return SoftmaxState::at(s_.parts + part * floats, job_.group(), job_.out_stride());
}

void SparqRow::attend(int64_t part, std::byte* key_rows) const {
  const Gather gather(job_, kv_, row_, head_, candidates_, selector().keys(), selector().n_keys());
  const SparqScoresScratch& used = s_.selector.scores;  // free by now
  gather.attend(part, queries(), used.scores + part * kGatherKeys, used.capacity, key_rows, state(part));
}

void SparqRow::finish() const {
  const SoftmaxState total = state(0);
  for (int64_t part = 1; part < gather_parts(selector().n_keys()); ++part)
    total.merge(job_.kernels, state(part), job_.group());
  if (selector().alphas()) mix_mean(total);
  if (job_.sparq_reads) count_reads();
  finish_group(job_, kv_, row_, head_, total, 0);
}

void SparqRow::count_reads() const {
  const double bytes = job_.key_size(kv_).bytes();
  const auto all = [&](int64_t n) { return static_cast<double>(n) * bytes; };
  job_.sparq_reads->add(std::llround(selector().bytes_read() + all(selector().n_keys())), std::llround(all(candidates_.n)));
}

// out = alpha * out + (1 - alpha) * mean of all values, before out is divided by its sum.
void SparqRow::mix_mean(const SoftmaxState& total) const {
  const int64_t columns = job_.value_columns(kv_);
  const SlotRange& others = candidates_.others;
  const ValueSums sums{job_.kernels, kv_, head_, columns};
  const int64_t count =
      sums.sum(candidates_.kept ? 0 : others.begin + kv_.shift, others.end + kv_.shift, s_.mean, s_.run_sum);
  for (int64_t g = 0; g < job_.group(); ++g) {
    const float alpha = selector().alphas()[g];
    job_.kernels.scale(alpha, total.row(g), total.row(g), columns);
    job_.kernels.add_scaled((1 - alpha) * total.sum[g] / static_cast<float>(count), s_.mean, total.row(g), columns);
  }
}

void attend_row_sparsely(const AttentionJob& job, const SparqPolicy& policy, const KvView& kv, int64_t row, int64_t kv_head,
                         const SparqScratch& s) {
  SparqRow sparse(job, policy, kv, row, kv_head, s, /*width=*/1);
  Stopwatch watch(job.sparq_times);
  const size_t stages = sparse.stages();
  for (size_t stage = 0; stage < stages; ++stage) {
    for (int64_t part = 0; part < sparse.parts(stage); ++part) sparse.run(stage, part, s.key_rows);
    if (stage + 1 == stages || sparse.step(stage + 1) != sparse.step(stage)) watch.lap(sparse.step(stage));
  }
}

void measure_row(const AttentionJob& job, const SparqPolicy& policy, const KvView& kv, int64_t row, int64_t kv_head,
                 const SparqScratch& s) {
  AttentionJob few = job;
  few.out = {s.few_out, /*row=*/0, /*head=*/job.a.d_v};
  few.sparq_reads = nullptr;
  attend_row_sparsely(few, policy, kv, row, kv_head, s);
  double sum = 0;
  for (int64_t g = 0; g < job.group(); ++g) {
    const int64_t head = kv_head * job.group() + g;
    const float *const sparse = few.out.at(row, head), *const dense = job.out.at(row, head);
    for (int64_t c = 0; c < job.a.d_v; ++c) {
      const auto off = static_cast<double>(sparse[c] - dense[c]);
      sum += off * off;
    }
  }
  policy.error(job.a.slot, kv_head, job.step_row(row)) = static_cast<float>(sum);
}

void attend_rows_together(ThreadPool& pool, SparqTimes* times, std::span<SparqRow> rows,
                          std::span<std::byte* const> key_rows) {
  for (size_t stage = 0; stage < rows.front().stages(); ++stage) {
    int64_t n = 0;
    for (const SparqRow& row : rows) n += row.parts(stage);
    const auto run = [&](int64_t part, int thread) {
      Stopwatch watch(times);
      auto row = rows.begin();
      for (; part >= row->parts(stage); ++row) part -= row->parts(stage);
      row->run(stage, part, key_rows[static_cast<size_t>(thread)]);
      watch.lap(row->step(stage));
    };
    if (n == 1)
      run(0, 0);
    else if (n > 1)
      pool.dynamic(n, run);
  }
}

}  // namespace skald
