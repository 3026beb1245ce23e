#include "backend/gpu/sparse_layers.h"

#include <algorithm>
#include <cmath>

#include "backend/candidates.h"
#include "backend/sparq_reads.h"
#include "base/checked.h"
#include "base/error.h"
#include "graph/input_names.h"
#include "kernels/gpu/attention.h"

namespace skald::gpu {
namespace {

const KvView& view_of(const StepArgs& step, const Attention& a, int64_t row) { return step.kv.of_row(a.slot, row); }

void check(const SparqParams& params, const KvView& kv) {
  if (kv.index.kind == KeyIndex::kNone && params.selector != KeySelection::kPages)
    fail(Errc::kUnsupported, "cache.sparq.index: none: the device chooses keys by an index of them");
}

// The row of an attention that has the outputs' rows only; -1: it has no such row.
int32_t row_of_outputs(const StepArgs& step, int32_t row) {
  const auto at = std::ranges::find(step.inputs, std::string_view(input_names::kOutputRows), &StepValue::name);
  SKALD_ASSERT(at != step.inputs.end());
  const int32_t* const numbers = std::get<const int32_t*>(at->data);
  const int32_t* const end = numbers + step.stats.n_outputs;
  const int32_t* const found = std::find(numbers, end, row);
  return found == end ? -1 : static_cast<int32_t>(found - numbers);
}

// `first`: the first row of the sequence in the step.
SparseRow row_of(const StepArgs& step, const Attention& a, int32_t row, int32_t first) {
  const KvView& kv = view_of(step, a, row);
  const SparqPolicy& policy = *step.kv.sparq_of_row(row);
  const SparqParams& params = *policy.params;
  const int32_t position = step.positions[row];
  SparseRow out{.row = a.some_rows ? row_of_outputs(step, row) : row,
                .position = position,
                .sequence = step.kv.row_seq[row],
                .keys = static_cast<int32_t>(Candidates(a.window, kv, position).n),
                .pages = whole_pages(a.window, kv, position)};
  // The memo goes on to the last page that was full before the step: rows of later pages add what there is since.
  out.summed = out.pages;
  out.summed.end = std::max(out.pages.begin, std::min<int64_t>(out.pages.end, step.positions[first] / kPageKeys));
  out.by_pages = params.selector != KeySelection::kSparq;
  out.by_scores = params.selector != KeySelection::kPages;
  out.by_spread = out.by_scores && params.choice == SparqChoice::kSpread && kv.key_sums && out.pages.n() > 0;
  out.by_index = out.keys >= SparqParams::kIndexFrom;
  out.keeps = out.by_spread && row == first;
  out.mean = params.uses_mean(a.n_heads / a.n_kv_heads) && kv.index.has_sums();
  out.measured = policy.errors != nullptr;
  return out;
}

// The keys of pages that the row does not see as a whole are read in any case. The last pages with the recent keys are among
// those that are chosen.
SparseHead head_of(const SparseRow& row, const SparqParams::Choice& c) {
  SparseHead out{.k1 = static_cast<int32_t>(c.k1), .k2 = static_cast<int32_t>(c.k2), .local = static_cast<int32_t>(c.local)};
  if (!row.by_pages) return out;
  const int64_t pages = row.pages.n(), single = row.keys - pages * kPageKeys, most = (c.k2 - single) / kPageKeys;
  const int64_t chosen =
      row.by_scores ? std::min(c.pages, pages) : std::clamp<int64_t>(most, std::min<int64_t>(pages, 1), pages);
  out.pages = static_cast<int32_t>(chosen);
  out.recent = static_cast<int32_t>(std::min(chosen, ceil_div(c.local, kPageKeys)));
  return out;
}

// Bytes that are read to choose keys: of the index, and of bounds.
double scored_bytes(const SparseRow& row, const SparseHead& head, const KeySize& size) {
  const int64_t pages = row.by_pages ? row.pages.n() : 0, skipped = row.by_pages ? (pages - head.pages) * kPageKeys : 0;
  const double scores = row.by_scores ? static_cast<double>(row.keys - skipped) * head.k1 * size.component_bytes : 0;
  return scores + static_cast<double>(pages * bounds_bytes(size.d_k));
}

}  // namespace

SparseLayers::SparseLayers(const Graph& graph) {
  for (const Node& node : graph.nodes())
    if (node.op == &op_attention && node.attrs.get<Attention>().sparse) layers_.push_back(node.attrs.get<Attention>());
  rows_.resize(layers_.size());
  heads_.resize(layers_.size());
}

size_t SparseLayers::layer_of(const Attention& a) const {
  const auto at = std::ranges::find(layers_, a);
  SKALD_ASSERT(at != layers_.end());
  return static_cast<size_t>(at - layers_.begin());
}

int64_t SparseLayers::tiles(size_t layer) const { return head_tiles(layers_[layer].n_heads / layers_[layer].n_kv_heads); }

// The generated rows that may leave keys out.
void SparseLayers::list_rows(const StepArgs& step) {
  list_.clear();
  numbers_.assign(static_cast<size_t>(step.stats.n_tokens), -1);
  for (int32_t row = 0; row < step.stats.n_tokens; ++row) {
    const SparqPolicy* const policy = step.kv.sparq_of_row(row);
    if (!policy || !view_of(step, layers_.front(), row).decode) continue;
    check(*policy->params, view_of(step, layers_.front(), row));
    numbers_[static_cast<size_t>(row)] = static_cast<int32_t>(list_.size());
    list_.push_back(row);
  }
}

void SparseLayers::collect(const StepArgs& step, std::span<const SequenceRows> sequences) {
  if (layers_.empty()) return;
  list_rows(step);
  bool any = false;
  for (size_t layer = 0; layer < layers_.size(); ++layer) any = collect(step, sequences, layer) || any;
  if (any) return;
  list_.clear();
  std::ranges::fill(numbers_, -1);
}

// Says whether any row of the layer leaves keys out.
bool SparseLayers::collect(const StepArgs& step, std::span<const SequenceRows> sequences, size_t layer) {
  const Attention& a = layers_[layer];
  bool any = false;
  rows_[layer].clear();
  heads_[layer].clear();
  for (const int32_t row : list_) {
    const SparqPolicy& policy = *step.kv.sparq_of_row(row);
    const int32_t first = sequences[static_cast<size_t>(step.kv.row_seq[row])].first;
    SparseRow& of = rows_[layer].emplace_back(row_of(step, a, row, first));
    const KeySize size = key_size(a, view_of(step, a, row));
    bool sparse = false;
    for (int64_t head = 0; head < a.n_kv_heads; ++head) {
      if (head > 0 && !policy.shares) {  // heads are alike
        heads_[layer].push_back(heads_[layer].back());
        continue;
      }
      const SparqParams::Choice c = choose(a, policy, size, head, of.keys);
      const bool few = c.k2 < of.keys && of.row >= 0;
      sparse = sparse || few;
      heads_[layer].push_back(few ? head_of(of, c) : SparseHead{});
    }
    of.keeps = of.keeps && sparse;
    any = any || sparse;
  }
  return any;
}

void SparseLayers::tell(const StepArgs& step, size_t layer, std::span<const SparseResult> results) const {
  const auto each = static_cast<size_t>(heads(layer) * tiles(layer));
  for (size_t at = 0; at < list_.size(); ++at) tell(step, layer, at, results.subspan(at * each, each));
}

void SparseLayers::tell(const StepArgs& step, size_t layer, size_t at, std::span<const SparseResult> results) const {
  const Attention& a = layers_[layer];
  const SparseRow& row = rows_[layer][at];
  const int32_t number = list_[at];
  const SparqPolicy& policy = *step.kv.sparq_of_row(number);
  const KeySize size = key_size(a, view_of(step, a, number));
  const auto all = std::llround(static_cast<double>(row.keys) * size.bytes());
  const SparseHead* const heads = heads_[layer].data() + at * static_cast<size_t>(a.n_kv_heads);
  const bool sparse = std::any_of(heads, heads + a.n_kv_heads, [](const SparseHead& h) { return h.k2 > 0; });
  for (int64_t head = 0; head < a.n_kv_heads && sparse; ++head) {
    const auto tiles_of_head = results.subspan(static_cast<size_t>(head * tiles(layer)), static_cast<size_t>(tiles(layer)));
    const SparseHead& choice = heads[head];
    if (row.measured) {
      if (choice.k2 == 0) continue;
      float error = 0;
      for (const SparseResult& r : tiles_of_head) error += r.error;
      policy.error(a.slot, head, number) = error;
    } else if (step.sparq_reads) {
      const double met = tiles_of_head.front().keys * size.bytes();
      step.sparq_reads->add(choice.k2 ? std::llround(scored_bytes(row, choice, size) + met) : all, all);
    }
  }
}

}  // namespace skald::gpu
