#include "backend/gpu/step_block.h"

#include <algorithm>
#include <bit>
#include <utility>

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
  if (view.index.kind != KeyIndex::kNone || view.index.has_bounds())
    fail(Errc::kUnsupported, "the device has no kernels for an index of the keys, which sparse decoding reads");
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

std::byte* const* StepBlock::table(std::byte* const* pages, int64_t n) {
  auto at = std::ranges::find(tables_, pages, &Table::pages);
  if (at == tables_.end()) at = tables_.insert(at, {pages, 0});
  at->n = std::max(at->n, n);
  return reinterpret_cast<std::byte* const*>(at - tables_.begin());
}

void StepBlock::collect_views(const StepArgs& step) {
  tables_.clear();
  views_.clear();
  for (int64_t i = 0; i < most_.slots * n_seqs_; ++i) {
    const KvView& view = step.kv.views[i];
    SequenceKv& kv = views_.emplace_back();
    if (!view.pages) continue;  // of a recurrent state
    check(view);
    const SequenceRows& rows = sequences_[static_cast<size_t>(i % n_seqs_)];
    const int64_t keys = rows.n ? int64_t{step.positions[rows.first + rows.n - 1]} + 1 : 0;
    const int64_t pages = ceil_div(keys - view.shift, kPageKeys);
    kv = {.k_pages = table(view.pages, pages),
          .v_pages = table(view.v_pages, pages),
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
          .v_rotated = view.v_rotated};
  }
}

void StepBlock::note_kinds() {
  std::vector<Kind> kinds;
  for (int64_t slot = 0; slot < most_.slots && n_seqs_ > 0; ++slot)
    kinds.push_back({cache(slot).k_format, cache(slot).v_format, cache(slot).k_by_dimensions});
  if (kinds == kinds_) return;
  kinds_ = std::move(kinds);
  ++layout_;
}

// Gives the bytes of all parts.
int64_t StepBlock::place() {
  int64_t used = 0;
  const auto take = [&used](int64_t bytes) { return std::exchange(used, used + round_up(bytes, kAlignment)); };
  take(3 * sizeof(int32_t));
  places_.inputs.clear();
  for (const int64_t bytes : most_.inputs) places_.inputs.push_back(take(bytes));
  places_.positions = take(room_.tokens * static_cast<int64_t>(sizeof(int32_t)));
  places_.sequences = take(room_.tokens * static_cast<int64_t>(sizeof(int32_t)));
  places_.sequence_rows = take(room_.sequences * static_cast<int64_t>(sizeof(SequenceRows)));
  places_.states = take(most_.slots * room_.sequences * static_cast<int64_t>(sizeof(float*)));
  places_.views = take(most_.slots * room_.sequences * static_cast<int64_t>(sizeof(SequenceKv)));
  places_.tables = take(room_.tables * room_.pages * static_cast<int64_t>(sizeof(std::byte*)));
  return used;
}

void StepBlock::make_room(int64_t n_tokens) {
  Room wanted{.tokens = n_tokens, .sequences = n_seqs_, .tables = std::ssize(tables_)};
  for (const Table& t : tables_) wanted.pages = std::max(wanted.pages, t.n);
  const auto grow = [](int64_t& room, int64_t to) {
    if (room >= to) return false;
    room = power_of_2(to);
    return true;
  };
  bool grew = !memory_;
  for (int64_t Room::*const part : {&Room::tokens, &Room::sequences, &Room::tables, &Room::pages})
    grew = grow(room_.*part, wanted.*part) || grew;
  if (!grew) return;
  memory_.reset();
  memory_ = std::make_unique<Mirror>(device_, place());
  ++layout_;
}

void StepBlock::put_states(const StepArgs& step) {
  for (int64_t slot = 0; step.kv.recurrent && slot < most_.slots; ++slot)
    put(places_.states + slot * room_.sequences * static_cast<int64_t>(sizeof(float*)), step.kv.recurrent + slot * n_seqs_,
        n_seqs_);
}

void StepBlock::put_views() {
  const auto address = [this](std::byte* const*& table) {
    const auto number = reinterpret_cast<int64_t>(table);
    table = at<std::byte* const>(places_.tables) + number * room_.pages;
  };
  for (SequenceKv& kv : views_) {
    address(kv.k_pages);
    address(kv.v_pages);
  }
  for (int64_t slot = 0; slot < most_.slots && n_seqs_ > 0; ++slot)
    put(places_.views + slot * room_.sequences * static_cast<int64_t>(sizeof(SequenceKv)), views_.data() + slot * n_seqs_,
        n_seqs_);
}

void StepBlock::put_tables() {
  int64_t at = places_.tables;
  for (const Table& t : tables_) {
    put(at, t.pages, t.n);
    at += room_.pages * static_cast<int64_t>(sizeof(std::byte*));
  }
}

void StepBlock::bring(const StepArgs& step, std::span<const Input> inputs) {
  n_seqs_ = step.kv.n_seqs;
  collect_sequences(step);
  collect_views(step);
  note_kinds();
  make_room(step.stats.n_tokens);
  const int32_t counts[3] = {static_cast<int32_t>(step.stats.n_tokens), static_cast<int32_t>(step.stats.n_outputs),
                             static_cast<int32_t>(n_seqs_)};
  put(0, counts, 3);
  for (size_t i = 0; i < inputs.size(); ++i) put(places_.inputs[i], inputs[i].data, inputs[i].bytes);
  if (n_seqs_ > 0) {
    put(places_.positions, step.positions, step.stats.n_tokens);
    put(places_.sequences, step.kv.row_seq, step.stats.n_tokens);
    put(places_.sequence_rows, sequences_.data(), n_seqs_);
    put_states(step);
    put_views();
    put_tables();
  }
  memory_->bring();
}

StepRows StepBlock::rows(int64_t slot) const {
  return {.positions = at<int32_t>(places_.positions),
          .sequences = at<int32_t>(places_.sequences),
          .kv = at<SequenceKv>(places_.views) + slot * room_.sequences};
}

StepStates StepBlock::states(int64_t slot) const {
  return {.count = {at<int32_t>(2 * sizeof(int32_t))},
          .rows = at<SequenceRows>(places_.sequence_rows),
          .states = at<float* const>(places_.states) + slot * room_.sequences};
}

}  // namespace skald::gpu
