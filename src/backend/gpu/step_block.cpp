#include "backend/gpu/step_block.h"

#include <algorithm>
#include <cstring>

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

int64_t StepBlock::put(const void* data, int64_t bytes) {
  const auto at = static_cast<int64_t>(bytes_.size());
  bytes_.resize(static_cast<size_t>(at + round_up(bytes, kAlignment)));
  if (bytes) std::memcpy(bytes_.data() + at, data, static_cast<size_t>(bytes));
  return at;
}

int64_t StepBlock::put_pages(std::byte* const* pages, int64_t n) {
  const auto same = [&](const Table& t) { return t.pages == pages && t.n >= n; };
  if (const auto at = std::ranges::find_if(tables_, same); at != tables_.end()) return at->offset;
  tables_.push_back({pages, n, put(pages, n * static_cast<int64_t>(sizeof(*pages)))});
  return tables_.back().offset;
}

// Rows of a sequence are neighbours.
std::vector<SequenceRows> StepBlock::put_sequences(const StepArgs& step) {
  std::vector<SequenceRows> sequences(static_cast<size_t>(n_seqs_));
  for (int32_t row = 0; row < step.stats.n_tokens; ++row) {
    SequenceRows& of = sequences[static_cast<size_t>(step.kv.row_seq[row])];
    if (of.n++ == 0) of.first = row;
  }
  sequence_rows_ = put(sequences.data(), std::ssize(sequences) * static_cast<int64_t>(sizeof(SequenceRows)));
  return sequences;
}

// Tables are named by their place in the block until its address is known.
void StepBlock::put_views(const StepArgs& step, size_t n_slots, std::span<const SequenceRows> sequences) {
  const auto table = [](int64_t offset) { return reinterpret_cast<std::byte* const*>(offset); };
  for (int64_t i = 0; i < static_cast<int64_t>(n_slots) * n_seqs_; ++i) {
    const KvView& view = step.kv.views[i];
    SequenceKv& kv = views_.emplace_back();
    if (!view.pages) continue;  // of a recurrent state
    check(view);
    const SequenceRows& rows = sequences[static_cast<size_t>(i % n_seqs_)];
    const int64_t keys = rows.n ? int64_t{step.positions[rows.first + rows.n - 1]} + 1 : 0;
    const int64_t pages = ceil_div(keys - view.shift, kPageKeys);
    kv = {.k_pages = table(put_pages(view.pages, pages)),
          .v_pages = table(put_pages(view.v_pages, pages)),
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

void StepBlock::bring(const StepArgs& step, std::span<const Input> inputs, size_t n_slots) {
  bytes_.clear();
  inputs_.clear();
  tables_.clear();
  views_.clear();
  n_seqs_ = step.kv.n_seqs;
  const int32_t counts[3] = {static_cast<int32_t>(step.stats.n_tokens), static_cast<int32_t>(step.stats.n_outputs),
                             static_cast<int32_t>(n_seqs_)};
  put(counts, sizeof counts);
  for (const Input& input : inputs) inputs_.push_back(put(input.data, input.bytes));
  if (n_seqs_ > 0) {
    const int64_t bytes = step.stats.n_tokens * static_cast<int64_t>(sizeof(int32_t));
    positions_ = put(step.positions, bytes);
    sequences_ = put(step.kv.row_seq, bytes);
    const std::vector<SequenceRows> sequences = put_sequences(step);
    const int64_t states = step.kv.recurrent ? static_cast<int64_t>(n_slots) * n_seqs_ : 0;
    states_ = put(step.kv.recurrent, states * static_cast<int64_t>(sizeof(float*)));
    put_views(step, n_slots, sequences);
    views_at_ = static_cast<int64_t>(bytes_.size());
  }
  const int64_t bytes = static_cast<int64_t>(bytes_.size() + views_.size() * sizeof(SequenceKv));
  if (!memory_ || memory_->size() < bytes) memory_ = std::make_unique<GpuBuffer>(device_, 2 * bytes, Use::kWork);
  for (SequenceKv& kv : views_) {
    kv.k_pages = at<std::byte* const>(reinterpret_cast<int64_t>(kv.k_pages));
    kv.v_pages = at<std::byte* const>(reinterpret_cast<int64_t>(kv.v_pages));
  }
  put(views_.data(), static_cast<int64_t>(views_.size() * sizeof(SequenceKv)));
  device_.write(memory_->data(), bytes_.data(), static_cast<int64_t>(bytes_.size()));
}

StepRows StepBlock::rows(int64_t slot) const {
  return {.positions = at<int32_t>(positions_),
          .sequences = at<int32_t>(sequences_),
          .kv = at<SequenceKv>(views_at_) + slot * n_seqs_};
}

StepStates StepBlock::states(int64_t slot) const {
  return {.count = {at<int32_t>(2 * sizeof(int32_t))},
          .rows = at<SequenceRows>(sequence_rows_),
          .states = at<float* const>(states_) + slot * n_seqs_};
}

}  // namespace skald::gpu
