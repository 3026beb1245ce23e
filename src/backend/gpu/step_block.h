// StepBlock: what changes from step to step, brought to the device in one copy: the numbers of rows, the inputs, positions,
// and where the sequences' keys and values lie.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "backend/gpu/memory.h"
#include "kernels/gpu/args.h"

namespace skald::gpu {

class StepBlock {
 public:
  explicit StepBlock(Device& device) : device_(device) {}

  /// `inputs`: the values of the graph's step inputs, `bytes` of each. Throws kUnsupported naming what kernels cannot read
  /// of a cache.
  struct Input {
    const std::byte* data;
    int64_t bytes;
  };
  void bring(const StepArgs& step, std::span<const Input> inputs, size_t n_slots);

  RowCount tokens() const { return {at<int32_t>(0)}; }
  RowCount outputs() const { return {at<int32_t>(sizeof(int32_t))}; }
  std::byte* input(size_t i) const { return at<std::byte>(inputs_[i]); }
  /// The step's rows, over the slot of an attention; its sequences, over a recurrent one.
  StepRows rows(int64_t slot) const;
  StepStates states(int64_t slot) const;
  /// How a slot's keys and values lie: alike for all sequences of the step.
  const SequenceKv& cache(int64_t slot) const { return views_[static_cast<size_t>(slot * n_seqs_)]; }

 private:
  template <class T>
  T* at(int64_t offset) const {
    return reinterpret_cast<T*>(memory_->data() + offset);
  }
  int64_t put(const void* data, int64_t bytes);
  std::vector<SequenceRows> put_sequences(const StepArgs& step);
  void put_views(const StepArgs& step, size_t n_slots, std::span<const SequenceRows> sequences);
  int64_t put_pages(std::byte* const* pages, int64_t n);

  /// A table of pages, by its address on the host: layers of a kind share theirs.
  struct Table {
    std::byte* const* pages;
    int64_t n, offset;
  };
  Device& device_;
  std::unique_ptr<GpuBuffer> memory_;
  std::vector<std::byte> bytes_;  // of the step, on the host
  std::vector<int64_t> inputs_;
  std::vector<Table> tables_;
  std::vector<SequenceKv> views_;
  int64_t positions_ = 0, sequences_ = 0, sequence_rows_ = 0, states_ = 0, views_at_ = 0, n_seqs_ = 0;
};

}  // namespace skald::gpu
