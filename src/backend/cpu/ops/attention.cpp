#include "graph/ops/attention.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "backend/cpu/attention/chosen.h"
#include "backend/cpu/attention/decode.h"
#include "backend/cpu/attention/key_spread.h"
#include "backend/cpu/attention/prefill.h"
#include "backend/cpu/attention/rows.h"
#include "backend/cpu/attention/sparq.h"
#include "backend/cpu/attention/split.h"
#include "backend/cpu/ops/rowwise.h"

namespace skald {
namespace {

/// A block of rows on one KV head; or one row on some; or one part of their keys on them; or those that SparQ chooses on
/// one.
constexpr int32_t kWhole = -1, kSparse = -2;
struct Task {
  int32_t row, rows, head, heads, part;  // part: kWhole, kSparse, or as in attend_part or attend_chosen_part
  int32_t state;                         // of a part: where its first result goes, of a head and row
};

// Keys of rows are split into parts where there are fewer heads of all rows than this per thread: one that is left at the
// end makes the others wait for so much of the whole.
int64_t split_below(int n_threads) { return 12 * n_threads; }

// Where a step has fewer sparse tasks than threads, all threads share each of them, if it sees this many keys or more: fewer
// cost less than what threads wait for one another in between.
constexpr int64_t kShareFrom = 3072;

// Heads of all parts of all rows.
int64_t max_split_heads(const Attention& a, int64_t rows, int n_threads) {
  return std::min(split_below(n_threads), rows * a.n_kv_heads) * Parts(a.n_kv_heads).most(a.max_keys);
}

// Where fewer tasks than threads attend to keys that are chosen, each becomes as many as these are cut into.
bool cuts_chosen(const Attention& a, int64_t rows, int n_threads) { return rows * a.n_kv_heads < n_threads; }

int64_t max_chosen_parts(const Attention& a, int n_threads) { return a.chosen ? n_threads * gather_parts(a.chosen) : 0; }

/// Scratch of one call: the tasks, the parts' results, then what each thread needs.
struct Plan {
  Plan(const AttentionJob& job, int64_t rows, int n_threads, std::byte* base) : scratch(base) {
    const int64_t splits = max_split_heads(job.a, rows, n_threads) + max_chosen_parts(job.a, n_threads);
    tasks = scratch.take<Task>(rows * job.a.n_kv_heads + splits);
    slopes = scratch.take(job.a.n_heads);
    parts = scratch.take(splits * SoftmaxState::floats(job.group(), job.out_stride()));
    Scratch decode(nullptr), prefill(nullptr);
    DecodeScratch(job, std::min(job.a.n_kv_heads, kDecodeHeads), decode);
    PrefillScratch(job, prefill);
    per_thread = std::max(decode.used(), prefill.used());
    if (job.a.chosen) {
      Scratch chosen(nullptr);
      ChosenScratch(job, chosen);
      per_thread = std::max(per_thread, chosen.used());
    }
    if (job.a.sparse) {
      Scratch sparq(nullptr);
      SparqScratch(job, sparq);
      per_thread = std::max(per_thread, sparq.used());
    }
    threads = scratch.take<std::byte>(per_thread * n_threads);
  }
  Scratch scratch;
  Task* tasks;
  float *slopes, *parts;
  int64_t per_thread;
  std::byte* threads;
};

AttentionJob job_of(const KernelTable& kernels, const Attention& a) { return {.kernels = kernels, .a = a}; }

int64_t plan(const Attention& a, const CpuPlanArgs& args) {
  return Plan(job_of(args.kernels, a), args.in[0].shape[0], args.n_threads, nullptr).scratch.used();
}

class AttentionRun {
 public:
  AttentionRun(CpuContext& cx, const Attention& a, const OpArgs& io)
      : cx_(cx), job_(job_of(cx.kernels, a)), plan_(job_, io.out.rows(), cx.pool.size(), cx.scratch) {
    const auto heads = [](const TensorView& t, int64_t d) { return HeadsView{t.as(), t.row_step(), d}; };
    job_.q = heads(io.in[0], a.d_k);
    job_.out = heads(io.out, a.d_v);
    if (a.sink_logits) job_.sink_logits = io.in[2].as();
    if (a.biases) job_.biases = DistanceBiases(io.in[a.biases_at()]);
    if (a.basis) job_.basis = IndexBasis(cx.kernels, io.in[a.basis_at()], io.in[a.basis_at() + 1]);
    if (a.kept_queries) job_.q_kept = heads(io.in[a.kept_input(io.in.size())], a.d_k);
    job_.positions = cx.step->positions;
    job_.rows = rows_of(a, io);
    if (a.chosen) chosen_ = io.in[a.chosen_input(io.in.size())];
    job_.sparq_times = cx.step->sparq_times;
    job_.sparq_reads = cx.step->sparq_reads;
    job_.slopes = a.slopes(plan_.slopes);
  }

  void run(int64_t rows) {
    if (rows == 0) return;
    n_rows_ = rows;
    make_tasks(rows);
    keep_spreads(rows);
    if (shares_rows()) return run_together();
    cx_.pool.dynamic(n_tasks_, [&](int64_t i, int thread) { run_task(i, memory(thread)); });
    if (n_states_ > 0) merge_parts();
    measure_rows(rows);
  }

 private:
  std::byte* memory(int64_t thread) const { return plan_.threads + thread * plan_.per_thread; }
  const KvView& view(int64_t row) const { return cx_.step->kv.of_row(job_.a.slot, job_.step_row(row)); }

  void add_task(int64_t row, int64_t rows, HeadRange heads, int64_t part = kWhole) {
    plan_.tasks[n_tasks_++] = {static_cast<int32_t>(row),     static_cast<int32_t>(rows), static_cast<int32_t>(heads.first),
                               static_cast<int32_t>(heads.n), static_cast<int32_t>(part), static_cast<int32_t>(n_states_)};
    if (part >= 0) n_states_ += heads.n * rows;
  }

  int32_t sequence(int64_t row) const { return cx_.step->kv.row_seq[job_.step_row(row)]; }

  // fn(first row, rows) for each sequence of the step: for each stretch of rows at consecutive positions, since some of the
  // step's may be left out, that attend to all keys, or to chosen ones.
  template <class Fn>
  void for_sequences(int64_t rows, Fn fn) const {
    for (int64_t row = 0; row < rows;) {
      int64_t end = row + 1;
      while (end < rows && sequence(end) == sequence(row) && job_.position(end) == job_.position(end - 1) + 1 &&
             has_chosen(end) == has_chosen(row))
        ++end;
      fn(row, end - row);
      row = end;
    }
  }

  // How a row attends to few keys, or is measured as if it did; null: neither.
  const SparqPolicy* policy(int64_t row) const {
    return job_.a.sparse && view(row).decode ? cx_.step->kv.sparq_of_row(job_.step_row(row)) : nullptr;
  }
  bool measures(int64_t row) const { return policy(row) && policy(row)->errors; }
  // How a row attends to few keys; null: it attends to all.
  const SparqPolicy* sparq(int64_t row) const { return measures(row) ? nullptr : policy(row); }
  // The first position of the row's sequence in the step.
  int32_t first_position(int64_t row) const {
    int64_t first = job_.step_row(row);
    while (first > 0 && cx_.step->kv.row_seq[first - 1] == sequence(row)) --first;
    return job_.positions[first];
  }
  int64_t keys_of(int64_t row) const { return candidates_of(job_, view(row), row).n; }
  // The memos of sequences that decode sparsely go on to the last page that was full before the step: rows of later pages
  // add what there is since, so that no row depends on its neighbours.
  void keep_spreads(int64_t rows) const {
    if (!job_.a.sparse) return;
    for_sequences(rows, [&](int64_t row, int64_t) {
      if (!chooses_keys(row, policy(row)) || policy(row)->params->choice != SparqChoice::kSpread) return;
      PageSet pages = whole_pages(job_.a.window, view(row), job_.position(row));
      pages.end = std::max(pages.begin, std::min(pages.end, first_position(row) / kPageKeys));
      const auto spread = [&](int64_t head, int64_t thread) {
        Scratch scratch(memory(thread));
        const SparqScratch s(job_, scratch);
        return KeySpread(job_, view(row), head, s.selector.scores.own_sums, s.selector.scores.panels);
      };
      if (!spread(0, 0).is_behind(pages)) return;  // heads go on together
      cx_.pool.dynamic(job_.a.n_kv_heads, [&](int64_t head, int thread) { spread(head, thread).keep(pages); });
    });
  }
  // Whether a row that attends like this, if it does, has few of its keys on a KV head, or on any. Heads without shares are
  // alike.
  bool chooses_keys(int64_t row, const SparqPolicy* few, int64_t head) const {
    if (!few) return false;
    const int64_t n = keys_of(row);
    return job_.choice(*few, job_.key_size(view(row)), head, n).k2 < n;
  }
  bool chooses_keys(int64_t row, const SparqPolicy* few) const {
    const int64_t heads = !few ? 0 : few->shares ? job_.a.n_kv_heads : 1;
    for (int64_t head = 0; head < heads; ++head)
      if (chooses_keys(row, few, head)) return true;
    return false;
  }
  bool chooses_keys(int64_t row) const { return chooses_keys(row, sparq(row)); }
  // Whether it attends to keys that were chosen before.
  bool has_chosen(int64_t row) const { return job_.a.chosen > 0 && keys_of(row) > job_.a.chosen; }
  const int32_t* chosen(int64_t row) const { return chosen_.row<int32_t>(row); }
  // Of n rows of a sequence from `row` on.
  bool in_blocks(int64_t row, int64_t n) const {
    if (sparq(row) || has_chosen(row)) return false;
    if (block_is_exact(job_, view(row))) return n > 1;
    return !view(row).decode || measures(row);
  }

  // Blocks first, those with the most keys before others: what is left at the end is small.
  void make_tasks(int64_t rows) {
    const int64_t heads = job_.a.n_kv_heads;
    int64_t few_rows = 0;
    for_sequences(rows, [&](int64_t row, int64_t n) {
      if (!in_blocks(row, n) || meets_pages_directly(job_, view(row), n)) few_rows += n;
    });
    split_ = cx_.pool.size() > 1 && few_rows > 0 && few_rows * heads < split_below(cx_.pool.size());
    for_sequences(rows, [&](int64_t row, int64_t n) {
      if (in_blocks(row, n)) add_blocks(row, n);
    });
    first_single_ = n_tasks_;
    const auto for_single_rows = [&](auto fn) {
      for_sequences(rows, [&](int64_t row, int64_t n) {
        if (in_blocks(row, n)) return;
        for (int64_t r = row; r < row + n; ++r) fn(r);
      });
    };
    int64_t left = 0;  // keys of heads, of dense rows
    for_single_rows([&](int64_t row) { left += chooses_keys(row) || has_chosen(row) ? 0 : keys_of(row) * heads; });
    for_single_rows([&](int64_t row) { add_row(row, left); });
  }

  void add_blocks(int64_t row, int64_t n) {
    const int64_t block = block_rows(job_, view(row), n), heads = job_.a.n_kv_heads;
    if (split_ && meets_pages_directly(job_, view(row), n)) {
      const int64_t parts = count_parts(job_, view(row), row, n);
      for (int64_t part = view(row).kept ? 0 : 1; part < parts; ++part)
        for (int64_t head = 0; head < heads; ++head) add_task(row, n, {head, 1}, part);
      return;
    }
    for (int64_t from = (n - 1) / block * block; from >= 0; from -= block)
      for (int64_t head = 0; head < heads; ++head) add_task(row + from, std::min(block, n - from), {head, 1});
  }

  void add_row(int64_t row, int64_t& left) {
    if (has_chosen(row)) {
      add_chosen(row);
    } else if (chooses_keys(row)) {
      for (int64_t head = 0; head < job_.a.n_kv_heads; ++head) add_sparse(row, head);
    } else if (!split_) {
      add_heads(row, kWhole, keys_of(row), left);
    } else {
      const int64_t parts = count_parts(job_, view(row), row, 1);
      for (int64_t part = view(row).kept ? 0 : 1; part < parts; ++part)
        add_heads(row, part, part_of(job_, view(row), row, 1, part).n(), left);
    }
  }

  // A head whose share makes it dense reads all beside sparse ones.
  void add_sparse(int64_t row, int64_t head) {
    const bool dense = sparq(row)->shares && !chooses_keys(row, sparq(row), head);
    if (dense && job_.sparq_reads) {
      const auto bytes = std::llround(static_cast<double>(keys_of(row)) * job_.key_size(view(row)).bytes());
      job_.sparq_reads->add(bytes, bytes);
    }
    add_task(row, 1, {head, 1}, dense ? int64_t{kWhole} : int64_t{kSparse});
  }

  void add_chosen(int64_t row) {
    const bool cut = cuts_chosen(job_.a, n_rows_, cx_.pool.size());
    for (int64_t part = 0; part < (cut ? gather_parts(job_.a.chosen) : 1); ++part)
      for (int64_t head = 0; head < job_.a.n_kv_heads; ++head) add_task(row, 1, {head, 1}, cut ? part : int64_t{kWhole});
  }

  // All heads on the row or a part of its keys, which `left` counts before and no more after.
  void add_heads(int64_t row, int64_t part, int64_t keys, int64_t& left) {
    cut_heads(job_.a.n_kv_heads, keys, kDecodeHeads, cx_.pool.size(), left, [&](int64_t head, int64_t n) {
      add_task(row, 1, {head, n}, part);
    });
  }

  void run_task(int64_t i, std::byte* memory) const {
    const Task& t = plan_.tasks[i];
    Scratch scratch(memory);
    if (i < first_single_) {
      PrefillScratch s(job_, scratch);
      const BlockRows rows{t.row, t.rows, t.head};
      if (t.part == kWhole) return attend_block(job_, view(t.row), rows, s);
      s.part = part_state(t.state, t.rows);
      return attend_block_part(job_, view(t.row), rows, t.part, s);
    }
    if (has_chosen(t.row)) {
      ChosenScratch s(job_, scratch);
      const int32_t* keys = chosen(t.row);
      if (t.part == kWhole) return attend_chosen(job_, view(t.row), t.row, t.head, keys, job_.a.chosen, s);
      return attend_chosen_part(job_, view(t.row), t.row, t.head, keys, job_.a.chosen, t.part, s, part_state(t.state));
    }
    if (t.part == kSparse) {
      const SparqScratch s(job_, scratch);
      return attend_row_sparsely(job_, *sparq(t.row), view(t.row), t.row, t.head, s);
    }
    DecodeScratch s(job_, t.heads, scratch);
    const HeadRange heads{t.head, t.heads};
    if (t.part == kWhole) {
      KvView kv = view(t.row);
      kv.in_order = kv.in_order && !chooses_keys(t.row);  // heads beside sparse ones
      return attend_row(job_, kv, t.row, heads, s);
    }
    for (int64_t h = 0; h < t.heads; ++h) s.heads[static_cast<size_t>(h)].part = part_state(t.state + h);
    load_row(job_, view(t.row), t.row, heads, s);
    attend_part(job_, view(t.row), t.row, heads, t.part, s);
  }

  bool shares_rows() const {
    const auto much = [&](const Task& t) { return t.part == kSparse && keys_of(t.row) >= kShareFrom; };
    return n_tasks_ < cx_.pool.size() && std::all_of(plan_.tasks, plan_.tasks + n_tasks_, much);
  }

  // Each row in the memory of another thread.
  void run_together() {
    std::vector<SparqRow> rows;
    std::vector<std::byte*> key_rows;
    for (int64_t i = 0; i < cx_.pool.size(); ++i) {
      Scratch scratch(memory(i));
      const SparqScratch s(job_, scratch);
      key_rows.push_back(s.key_rows);
      if (i >= n_tasks_) continue;
      const Task& t = plan_.tasks[i];
      rows.emplace_back(job_, *sparq(t.row), view(t.row), t.row, t.head, s, 2 * ceil_div(cx_.pool.size(), n_tasks_));
    }
    attend_rows_together(cx_.pool, job_.sparq_times, rows, key_rows);
  }

  // Rows whose results are there.
  void measure_rows(int64_t rows) const {
    const int64_t heads = job_.a.n_kv_heads;
    for_sequences(rows, [&](int64_t row, int64_t n) {
      if (!measures(row)) return;
      cx_.pool.dynamic(n * heads, [&](int64_t i, int thread) {
        const int64_t at = row + i / heads, head = i % heads;
        if (!chooses_keys(at, policy(at), head)) return;
        Scratch scratch(memory(thread));
        measure_row(job_, *policy(at), view(at), at, head, SparqScratch(job_, scratch));
      });
    });
  }

  // Of some rows on a head.
  SoftmaxState part_state(int64_t i, int64_t rows = 1) const {
    const int64_t floats = SoftmaxState::floats(job_.group(), job_.out_stride());
    return SoftmaxState::at(plan_.parts + i * floats, rows * job_.group(), job_.out_stride());
  }

  // The results of a row, or of a block's, lie part by part, of all heads each.
  void merge_parts() const {
    const int64_t heads = job_.a.n_kv_heads;
    for (int64_t i = 0; i < n_tasks_;) {
      const Task& first = plan_.tasks[i];
      int64_t states = 0;
      for (; i < n_tasks_ && plan_.tasks[i].row == first.row; ++i)
        if (plan_.tasks[i].part >= 0) states += plan_.tasks[i].heads;
      const auto merge = [&](int64_t head, int64_t thread) { merge_head(first, head, states, memory(thread)); };
      if (states && first.rows > 1) cx_.pool.dynamic(heads, merge);
      for (int64_t head = 0; head < heads && states && first.rows == 1; ++head) merge(head, 0);
    }
  }

  void merge_head(const Task& first, int64_t head, int64_t states, std::byte* memory) const {
    Scratch scratch(memory);
    const SoftmaxState total = PrefillScratch(job_, scratch).total;
    const int64_t queries = first.rows * job_.group();
    total.clear(queries);
    for (int64_t i = head; i < states; i += job_.a.n_kv_heads)
      total.merge(job_.kernels, part_state(first.state + i * first.rows, first.rows), queries);
    finish_block(job_, view(first.row), {first.row, first.rows, head}, total);
  }

  CpuContext& cx_;
  AttentionJob job_;
  Plan plan_;
  TensorView chosen_;  // (rows, chosen)
  int64_t n_rows_ = 0, n_tasks_ = 0, first_single_ = 0, n_states_ = 0;
  bool split_ = false;
};

void run(CpuContext& cx, const Attention& a, const OpArgs& io) { AttentionRun(cx, a, io).run(io.out.rows()); }

}  // namespace

extern const CpuOp cpu_attention;
const CpuOp cpu_attention = implement<Attention, run, plan>(op_attention);

}  // namespace skald
