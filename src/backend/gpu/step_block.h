// StepBlock: what changes from step to step, brought to the device in one copy: the numbers of rows, the inputs, positions,
// where the sequences' keys and values lie, and which rows read few of them. Each part has a place of its own, which
// launches that were recorded know.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "backend/gpu/mirror.h"
#include "backend/gpu/sparse_layers.h"
#include "kernels/gpu/args.h"

namespace skald::gpu {

class StepBlock {
 public:
  /// What steps of a program have: bytes of each input and tokens at most, and the slots of their states.
  struct Most {
    std::vector<int64_t> inputs = {};
    int64_t tokens = 0, slots = 0;
    SparseLayers sparse = {};
  };
  StepBlock(Device& device, Most most);

  /// `inputs`: the values of the graph's step inputs, `bytes` of each. Throws kUnsupported naming what kernels cannot read
  /// of a cache.
  struct Input {
    const std::byte* data;
    int64_t bytes;
  };
  void bring(const StepArgs& step, std::span<const Input> inputs);
  /// After the step: waits, and tells what sparse rows read and how far off they were.
  void tell(const StepArgs& step);

  /// Another number where an address that launches were given is another one, as a step had more sequences or longer ones,
  /// or where keys and values lie otherwise.
  int64_t layout() const { return layout_; }
  RowCount tokens() const { return {at<int32_t>(0)}; }
  RowCount outputs() const { return {at<int32_t>(sizeof(int32_t))}; }
  std::byte* input(size_t i) const { return at<std::byte>(places_.inputs[i]); }
  /// The step's rows, over the slot of an attention; its sequences, over a recurrent one.
  StepRows rows(int64_t slot) const;
  StepStates states(int64_t slot) const;
  /// Rows that attend to few keys of a layer, for which launches are to be made: none where no row of the step does.
  int64_t sparse_rows() const { return sparse_rows_; }
  SparseRows sparse(const Attention& a) const;
  /// How a slot's keys and values lie: alike for all sequences of the step.
  const SequenceKv& cache(int64_t slot) const { return views_[static_cast<size_t>(slot * n_seqs_)]; }

 private:
  /// What there is room for.
  struct Room {
    int64_t tokens = 0, sequences = 0, tables = 0, pages = 0;  // of a table
    int64_t run_tables = 0, runs = 0;                          // likewise, of the key index
    int64_t sparse = 0;                                        // rows
  };
  /// Offsets of the parts.
  struct Places {
    std::vector<int64_t> inputs;
    int64_t positions = 0, sequences = 0, sequence_rows = 0, states = 0, views = 0, tables = 0, runs = 0;
    int64_t sparse_numbers = 0;
    std::vector<int64_t> sparse_rows, sparse_heads, results;  // of layers; the last ones among all results
  };
  /// A table of pages, or of runs, by its address on the host: layers of a kind share theirs.
  template <class T>
  struct Table {
    const T* entries;
    int64_t n;
  };
  /// What kernels for keys and values are chosen by.
  struct Kind {
    uint32_t k_format, v_format;
    bool k_by_dimensions;
    KeyIndex index;
    bool sums, bounds;
    friend bool operator==(const Kind&, const Kind&) = default;
  };
  template <class T>
  T* at(int64_t offset) const {
    return reinterpret_cast<T*>(memory_->at(offset));
  }
  template <class T>
  void put(int64_t offset, const T* data, int64_t n) {
    memory_->put(offset, data, n * static_cast<int64_t>(sizeof(T)));
  }
  void collect_sequences(const StepArgs& step);
  void collect_views(const StepArgs& step);
  SequenceIndex index_of(const KeyIndexView& index);
  void note_kinds();
  void make_room(int64_t n_tokens);
  int64_t place();
  int64_t place_results();
  void note_sparse_rows();
  void put_states(const StepArgs& step);
  void put_views();
  template <class T>
  void put_tables(int64_t first, const std::vector<Table<T>>& tables, int64_t room);
  void put_sparse();

  Device& device_;
  Most most_;
  Room room_;
  Places places_;
  std::unique_ptr<Mirror> memory_;
  std::unique_ptr<GpuBuffer> results_;  // of sparse rows
  int64_t layout_ = 0, n_seqs_ = 0, sparse_rows_ = 0;
  std::vector<Kind> kinds_;              // of the slots
  std::vector<SequenceRows> sequences_;  // of the step, as all below
  std::vector<Table<std::byte*>> tables_;
  std::vector<Table<IndexRun>> runs_;
  std::vector<SequenceKv> views_;  // whose tables are numbers until they have addresses
};

}  // namespace skald::gpu
