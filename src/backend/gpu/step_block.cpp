#include "backend/gpu/step_block.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "backend/gpu/memory.h"
#include "base/checked.h"
#include "base/error.h"
#include "quant/bf16/block.h"
#include "quant/f16/block.h"
#include "quant/f32/block.h"
#include "quant/q4_0/block.h"
#include "quant/q8_0/block.h"
#include "quant/registry.h"

namespace skald::gpu {
namespace {

constexpr int64_t kAlignment = 16;
constexpr int64_t kFewSequences = 8, kFewPages = 4;  // that there is room for from the beginning
constexpr auto kNumberBytes = static_cast<int64_t>(sizeof(int32_t));

constexpr int kCounts = 4;  // of tokens, outputs, sequences, sparse rows

int64_t power_of_2(int64_t n) { return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(n))); }

void check_format(uint32_t format, std::string_view what) {
  const std::initializer_list<uint32_t> known = {BlockF32::kId, BlockF16::kId, BlockBf16::kId, BlockQ8_0::kId,
                                                 BlockQ4_0::kId};
  if (std::ranges::find(known, format) == known.end())
    fail(Errc::kUnsupported, "the device has no kernels for {} of type {}: use f16, bf16, f32, q8_0 or q4_0", what,
         find_format(format)->name);
}

void check(const KvView& view) {
  check_format(view.k_format, "cached keys");
  check_format(view.v_format, "cached values");
  if (view.k_codes != KeyCodes::kNone) fail(Errc::kUnsupported, "the device has no kernels for keys in codes: use f16");
}

}  // namespace

StepBlock::StepBlock(Device& device, Most most) : device_(device), most_(std::move(most)) {
  room_ = {.tokens = most_.tokens, .sequences = std::min(most_.tokens, kFewSequences), .pages = kFewPages};
}

// Rows of a sequence are neighbours.
void StepBlock::collect_sequences(const StepArgs& step) {
  sequences_.assign(static_cast<size_t>(n_seqs_), {});
  if (n_seqs_ == 0) return;
  for (int32_t row = 0; row < step.stats.n_tokens; ++row) {
    SequenceRows& of = sequences_[static_cast<size_t>(step.kv.row_seq[row])];
    if (of.n++ == 0) of.first = row;
  }
}

// The number of a table in the list of them, in the place of its address: layers of a kind share theirs.
template <class T>
static T const* table_in(auto& tables, T const* entries, int64_t n) {
  auto at = std::ranges::find(tables, entries, [](const auto& table) { return table.entries; });
  if (at == tables.end()) at = tables.insert(at, {entries, 0});
  at->n = std::max(at->n, n);
  return reinterpret_cast<T const*>(at - tables.begin());
}

SequenceIndex StepBlock::index_of(const KeyIndexView& index) {
  if (!index.runs) return {};
  return {.runs = table_in<IndexRun>(runs_, index.runs, index.n_runs),
          .n_runs = index.n_runs,
          .places = {index.places[0], index.places[1]},
          .kind = index.kind};
}

void StepBlock::collect_views(const StepArgs& step) {
  tables_.clear();
  runs_.clear();
  views_.clear();
  for (int64_t i = 0; i < most_.slots * n_seqs_; ++i) {
    const KvView& view = step.kv.views[i];
    SequenceKv& kv = views_.emplace_back();
    if (!view.pages) continue;  // of a recurrent state
    check(view);
    const SequenceRows& rows = sequences_[static_cast<size_t>(i % n_seqs_)];
    const int64_t keys = rows.n ? int64_t{step.positions[rows.first + rows.n - 1]} + 1 : 0;
    const int64_t pages = ceil_div(keys - view.shift, kPageKeys);
    kv = {.k_pages = table_in<std::byte*>(tables_, view.pages, pages),
          .v_pages = table_in<std::byte*>(tables_, view.v_pages, pages),
          .k_offset = view.k_offset,
          .v_offset = view.v_offset,
          .k_head_stride = view.k_head_stride,
          .v_head_stride = view.v_head_stride,
          .k_stride = view.k_stride,
          .v_stride = view.v_stride,
          .kept = view.kept,
          .begin = view.begin,
          .shift = view.shift,
          .dropped = view.dropped,
          .prefix = view.prefix,
          .k_format = view.k_format,
          .v_format = view.v_format,
          .k_by_dimensions = view.k_order == KeyOrder::kDims,
          .k_rotated = view.k_rotated,
          .v_rotated = view.v_rotated,
          .generated = view.decode,
          .index = index_of(view.index),
          .key_sums = view.key_sums};
  }
}

void StepBlock::note_kinds() {
  std::vector<Kind> kinds;
  for (int64_t slot = 0; slot < most_.slots && n_seqs_ > 0; ++slot)
    kinds.push_back({cache(slot).k_format, cache(slot).v_format, cache(slot).k_by_dimensions, cache(slot).index.kind,
                     cache(slot).index.places[0].sums != 0, cache(slot).index.places[0].bounds != 0});
  if (kinds == kinds_) return;
  kinds_ = std::move(kinds);
  ++layout_;
}

// Gives the bytes of all parts.
int64_t StepBlock::place() {
  int64_t used = 0;
  const auto take = [&used](int64_t bytes) { return std::exchange(used, used + round_up(bytes, kAlignment)); };
  const SparseLayers& sparse = most_.sparse;
  take(kCounts * kNumberBytes);
  places_ = {};
  for (const int64_t bytes : most_.inputs) places_.inputs.push_back(take(bytes));
  places_.positions = take(room_.tokens * kNumberBytes);
  places_.sequences = take(room_.tokens * kNumberBytes);
  places_.sequence_rows = take(room_.sequences * kBytesOf<SequenceRows>);
  places_.states = take(most_.slots * room_.sequences * kBytesOf<float*>);
  places_.views = take(most_.slots * room_.sequences * kBytesOf<SequenceKv>);
  places_.tables = take(room_.tables * room_.pages * kBytesOf<std::byte*>);
  places_.runs = take(room_.run_tables * room_.runs * kBytesOf<IndexRun>);
  if (sparse.layers()) places_.sparse_numbers = take(room_.tokens * kNumberBytes);
  for (size_t i = 0; i < sparse.layers(); ++i) {
    places_.sparse_rows.push_back(take(room_.sparse * kBytesOf<SparseRow>));
    places_.sparse_heads.push_back(take(room_.sparse * sparse.heads(i) * kBytesOf<SparseHead>));
  }
  return used;
}

// Gives the number of results of all layers.
int64_t StepBlock::place_results() {
  int64_t used = 0;
  places_.results.clear();
  for (size_t i = 0; i < most_.sparse.layers(); ++i)
    places_.results.push_back(std::exchange(used, used + room_.sparse * most_.sparse.heads(i) * most_.sparse.tiles(i)));
  return used;
}

void StepBlock::make_room(int64_t n_tokens) {
  Room wanted{.tokens = n_tokens,
              .sequences = n_seqs_,
              .tables = std::ssize(tables_),
              .run_tables = std::ssize(runs_),
              .sparse = most_.sparse.rows()};
  for (const auto& t : tables_) wanted.pages = std::max(wanted.pages, t.n);
  for (const auto& t : runs_) wanted.runs = std::max(wanted.runs, t.n);
  const auto grow = [](int64_t& room, int64_t to) {
    if (room >= to) return false;
    room = power_of_2(to);
    return true;
  };
  bool grew = !memory_;
  for (int64_t Room::*const part :
       {&Room::tokens, &Room::sequences, &Room::tables, &Room::pages, &Room::run_tables, &Room::runs, &Room::sparse})
    grew = grow(room_.*part, wanted.*part) || grew;
  if (!grew) return;
  memory_.reset();
  memory_ = std::make_unique<Mirror>(device_, place());
  results_.reset();
  results_ = std::make_unique<GpuBuffer>(device_, place_results() * kBytesOf<SparseResult>, Use::kWork);
  ++layout_;
}

void StepBlock::put_states(const StepArgs& step) {
  for (int64_t slot = 0; step.kv.recurrent && slot < most_.slots; ++slot)
    put(places_.states + slot * room_.sequences * kBytesOf<float*>, step.kv.recurrent + slot * n_seqs_, n_seqs_);
}

void StepBlock::put_views() {
  const auto address = [this]<class T>(T const*& table, int64_t first, int64_t room) {
    table = at<T const>(first) + reinterpret_cast<int64_t>(table) * room;
  };
  for (SequenceKv& kv : views_) {
    address(kv.k_pages, places_.tables, room_.pages);
    address(kv.v_pages, places_.tables, room_.pages);
    address(kv.index.runs, places_.runs, room_.runs);
  }
  for (int64_t slot = 0; slot < most_.slots && n_seqs_ > 0; ++slot)
    put(places_.views + slot * room_.sequences * kBytesOf<SequenceKv>, views_.data() + slot * n_seqs_, n_seqs_);
}

template <class T>
void StepBlock::put_tables(int64_t first, const std::vector<Table<T>>& tables, int64_t room) {
  for (const Table<T>& t : tables) {
    put(first, t.entries, t.n);
    first += room * kBytesOf<T>;
  }
}

void StepBlock::put_sparse() {
  const SparseLayers& sparse = most_.sparse;
  if (!sparse.layers()) return;
  const auto put_all = [this](int64_t at, const auto& all) { put(at, all.data(), std::ssize(all)); };
  put_all(places_.sparse_numbers, sparse.numbers());
  for (size_t i = 0; i < sparse.layers() && sparse.rows(); ++i) {
    put_all(places_.sparse_rows[i], sparse.rows(i));
    put_all(places_.sparse_heads[i], sparse.heads_of(i));
  }
}

// Launches are recorded for a power of two of rows.
void StepBlock::note_sparse_rows() {
  const int64_t rows = most_.sparse.rows() ? power_of_2(most_.sparse.rows()) : 0;
  if (std::exchange(sparse_rows_, rows) != rows) ++layout_;
}

void StepBlock::bring(const StepArgs& step, std::span<const Input> inputs) {
  n_seqs_ = step.kv.n_seqs;
  collect_sequences(step);
  collect_views(step);
  note_kinds();
  most_.sparse.collect(step, sequences_);
  note_sparse_rows();
  make_room(step.stats.n_tokens);
  const int32_t counts[kCounts] = {static_cast<int32_t>(step.stats.n_tokens), static_cast<int32_t>(step.stats.n_outputs),
                                   static_cast<int32_t>(n_seqs_), static_cast<int32_t>(most_.sparse.rows())};
  put(0, counts, kCounts);
  for (size_t i = 0; i < inputs.size(); ++i) put(places_.inputs[i], inputs[i].data, inputs[i].bytes);
  if (n_seqs_ > 0) {
    put(places_.positions, step.positions, step.stats.n_tokens);
    put(places_.sequences, step.kv.row_seq, step.stats.n_tokens);
    put(places_.sequence_rows, sequences_.data(), n_seqs_);
    put_states(step);
    put_views();
    put_tables(places_.tables, tables_, room_.pages);
    put_tables(places_.runs, runs_, room_.runs);
    put_sparse();
  }
  memory_->bring();
}

StepRows StepBlock::rows(int64_t slot) const {
  return {.positions = at<int32_t>(places_.positions),
          .sequences = at<int32_t>(places_.sequences),
          .kv = at<SequenceKv>(places_.views) + slot * room_.sequences,
          .rows = at<SequenceRows>(places_.sequence_rows)};
}

StepStates StepBlock::states(int64_t slot) const {
  return {.count = {at<int32_t>(2 * kNumberBytes)},
          .rows = at<SequenceRows>(places_.sequence_rows),
          .states = at<float* const>(places_.states) + slot * room_.sequences};
}

SparseRows StepBlock::sparse(const Attention& a) const {
  const size_t layer = most_.sparse.layer_of(a);
  return {.count = {at<int32_t>(3 * kNumberBytes)},
          .numbers = at<int32_t>(places_.sparse_numbers),
          .rows = at<SparseRow>(places_.sparse_rows[layer]),
          .heads = at<SparseHead>(places_.sparse_heads[layer]),
          .results = reinterpret_cast<SparseResult*>(results_->data()) + places_.results[layer]};
}

// Layers' results lie as many rows apart as there is room for.
void StepBlock::tell(const StepArgs& step) {
  const SparseLayers& sparse = most_.sparse;
  if (!sparse.rows()) return;
  std::vector<SparseResult> all(static_cast<size_t>(results_->size() / kBytesOf<SparseResult>));
  device_.read(reinterpret_cast<std::byte*>(all.data()), results_->data(), results_->size());
  for (size_t i = 0; i < sparse.layers(); ++i)
    sparse.tell(step, i,
                std::span(all).subspan(static_cast<size_t>(places_.results[i]), static_cast<size_t>(sparse.results(i))));
}

}  // namespace skald::gpu
