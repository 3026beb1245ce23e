#include "graph/ops/choose_keys.h"

#include <algorithm>
#include <numeric>

#include "backend/cpu/attention/job.h"
#include "backend/cpu/attention/pages.h"
#include "backend/cpu/attention/queries.h"
#include "backend/cpu/cpu_op.h"
#include "kernels/api/select.h"

namespace skald {
namespace {

constexpr int64_t kPagesAtOnce = 16;  // that a thread takes of a row which all threads share

/// Returns the indexer's heads as those of an attention on one KV head.
Attention attention_of(const ChooseKeys& a) {
  return {.n_heads = a.heads, .n_kv_heads = 1, .d_k = a.d, .scale = 1, .slot = a.slot, .max_keys = a.max_keys};
}

/// Scratch memory of a row: its queries, then the keys' scores; and that of each thread at work on it.
struct RowScratch {
  RowScratch(const AttentionJob& job, Scratch& scratch) : keys(round_up(job.a.max_keys, kPageKeys) + 4 * kPageKeys) {
    for (float** x : {&q, &q_kept}) *x = scratch.take(job.group() * job.q_stride());
    for (std::byte** x : {&codes, &codes_kept}) *x = scratch.take<std::byte>(query_codes_bytes(job));
    scores = scratch.take(keys);
    select = scratch.take<int32_t>(select_top_scratch(keys));
  }
  int64_t keys;
  float *q, *q_kept, *scores;
  std::byte *codes, *codes_kept;
  int32_t* select;
};
struct PageScratch {
  PageScratch(const AttentionJob& job, Scratch& scratch)
      : products(scratch.take(job.group() * kPageKeys)), sums(scratch.take(kPageKeys)) {}
  float *products, *sums;
};

int64_t thread_scratch(const AttentionJob& job) {
  Scratch scratch(nullptr);
  RowScratch(job, scratch);
  PageScratch(job, scratch);
  return scratch.used();
}

int64_t plan(const ChooseKeys& choice, const CpuPlanArgs& args) {
  const Attention a = attention_of(choice);
  return thread_scratch({.kernels = args.kernels, .a = a}) * args.n_threads;
}

class ChooseKeysRun {
 public:
  ChooseKeysRun(CpuContext& cx, const ChooseKeys& choice, const Attention& a, const OpArgs& io)
      : cx_(cx), choice_(choice), io_(io), job_{.kernels = cx.kernels, .a = a}, bytes_(thread_scratch(job_)) {
    job_.positions = cx.step->positions;
    job_.rows = choice.some_rows ? io.in.back().as<int32_t>() : nullptr;
    q_ = {io.in[0].as(), io.in[0].row_step(), a.d_k};
    q_kept_ = choice.kept_queries ? HeadsView{io.in[3].as(), io.in[3].row_step(), a.d_k} : q_;
  }

  // Few rows are shared by all threads; of many, each thread takes its own.
  void run() {
    const int64_t rows = io_.out.rows();
    if (rows >= cx_.pool.size()) {
      cx_.pool.dynamic(rows, [&](int64_t row, int thread) {
        Scratch scratch(memory(thread));
        const RowScratch s(job_, scratch);
        const PageScratch page(job_, scratch);
        choose(row, s, [&](const auto& score, int64_t pages) { score(0, pages, page); });
      });
      return;
    }
    Scratch scratch(memory(0));
    const RowScratch s(job_, scratch);
    for (int64_t row = 0; row < rows; ++row)
      choose(row, s, [&](const auto& score, int64_t pages) {
        cx_.pool.dynamic(ceil_div(pages, kPagesAtOnce), [&](int64_t i, int thread) {
          Scratch own(memory(thread));
          RowScratch(job_, own);  // skips the memory of the row
          const PageScratch page(job_, own);
          score(i * kPagesAtOnce, std::min(pages, (i + 1) * kPagesAtOnce), page);
        });
      });
  }

 private:
  std::byte* memory(int64_t thread) const { return cx_.scratch + thread * bytes_; }

  // `over_pages` calls its argument for all pages from the row's first one on, cut in any way.
  template <class OverPages>
  void choose(int64_t row, const RowScratch& s, OverPages over_pages) const {
    const KvView& kv = cx_.step->kv.of_row(choice_.slot, job_.step_row(row));
    const Candidates candidates = candidates_of(job_, kv, row);
    int32_t* out = io_.out.row<int32_t>(row);
    if (candidates.n <= choice_.most) {
      std::iota(out, out + candidates.n, 0);
      std::fill(out + candidates.n, out + choice_.most, -1);
      return;
    }
    load(kv, row, s);
    const SlotRange& others = candidates.others;
    const int64_t own_page = job_.own_page(kv, row);
    const GroupQueries queries{s.q, s.codes, job_.group(), own_page},
        kept_queries{s.q_kept, s.codes_kept, job_.group(), own_page};
    const float* weights = io_.in[1].row(row);
    const int64_t first = others.begin / kPageKeys, pages = ceil_div(others.end, kPageKeys) - first;
    over_pages(
        [&](int64_t from, int64_t to, const PageScratch& page) {
          for (int64_t i = from; i < to; ++i) {
            const int64_t begin = std::max(others.begin, (first + i) * kPageKeys);
            const int64_t end = std::min(others.end, (first + i + 1) * kPageKeys);
            score(kv, begin, end, queries, weights, page, s.scores + candidates.kept + begin - others.begin);
          }
          // Kept keys are few: the task of the first pages takes them too.
          for (int64_t slot = 0; from == 0 && slot < candidates.kept; slot += kPageKeys)
            score(kv, slot, std::min(slot + kPageKeys, candidates.kept), kept_queries, weights, page, s.scores + slot);
        },
        pages);
    cx_.kernels.select_top({s.scores, out, candidates.n, choice_.most, s.select});
  }

  void load(const KvView& kv, int64_t row, const RowScratch& s) const {
    load_queries(job_, kv, q_, row, 0, s.q);
    quantize_queries(job_, kv, s.q, s.codes);
    if (!kv.kept) return;
    load_queries(job_, kv, q_kept_, row, 0, s.q_kept);
    quantize_queries(job_, kv, s.q_kept, s.codes_kept);
  }

  // Slots of one page; out[0] is that of slot `begin`.
  void score(const KvView& kv, int64_t begin, int64_t end, const GroupQueries& queries, const float* weights,
             const PageScratch& s, float* out) const {
    score_page(job_, kv, 0, begin, end, queries, {kv.k_page(0, end - 1), 0}, s.products, kPageKeys);
    const int64_t n = end - begin, at = begin % kPageKeys;
    std::fill_n(s.sums, n, 0.0f);
    for (int64_t head = 0; head < choice_.heads; ++head) {
      float* products = s.products + head * kPageKeys + at;
      cx_.kernels.activation[static_cast<size_t>(Activation::kRelu)](products, products, n);
      cx_.kernels.add_scaled(weights[head], products, s.sums, n);
    }
    std::copy_n(s.sums, n, out);
  }

  CpuContext& cx_;
  const ChooseKeys& choice_;
  const OpArgs& io_;
  AttentionJob job_;
  int64_t bytes_;
  HeadsView q_, q_kept_;
};

void run(CpuContext& cx, const ChooseKeys& choice, const OpArgs& io) {
  const Attention a = attention_of(choice);
  ChooseKeysRun(cx, choice, a, io).run();
}

}  // namespace

extern const CpuOp cpu_choose_keys;
const CpuOp cpu_choose_keys = implement<ChooseKeys, run, plan>(op_choose_keys);

}  // namespace skald
