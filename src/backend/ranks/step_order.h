// A step as the first rank sends it: tokens, positions, and where the keys of its sequences lie. Page tables go over the
// wire once: of a sequence that goes on, the pages that are new.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "backend/backend.h"
#include "backend/ranks/follower_memory.h"
#include "comm/bytes.h"
#include "skald/sparq_params.h"

namespace skald {

/// What both sides remember of the steps before.
struct StepMemory {
  std::vector<KvView> views;                        // (slots), without what belongs to a sequence
  std::vector<std::vector<std::byte*>> page_lists;  // of the first rank, by their places in a step
};

class StepWriter {
 public:
  /// Adds a step of a program of this graph.
  void write(ByteWriter& to, const Graph& graph, const StepArgs& step);

 private:
  void write_views(ByteWriter& to, const Graph& graph, const KvBatch& kv);
  void write_sequence(ByteWriter& to, const Graph& graph, const StepArgs& step, int64_t sequence, int32_t last_position);
  int64_t first_of_group(const KvBatch& kv, int64_t slot, int64_t sequence);
  void write_pages(ByteWriter& to, std::byte* const* pages, int64_t n);
  void write_sparq(ByteWriter& to, const KvBatch& kv);

  StepMemory before_;
  size_t lists_ = 0;             // of this step so far
  std::vector<int64_t> groups_;  // the first slot of each group, of the sequence so far
};

/// A step that was read, with all that its arguments refer to.
class StepReader {
 public:
  /// Returns the arguments of a step of a program of this graph; valid until the next one.
  const StepArgs& read(ByteReader& from, const Graph& graph, const FollowerMemory& memory);

 private:
  void read_inputs(ByteReader& from, const Graph& graph);
  void read_sequence(ByteReader& from, const Graph& graph, const FollowerMemory& memory, int64_t sequence);
  std::byte* const* read_pages(ByteReader& from, const FollowerMemory& memory);
  void read_sparq(ByteReader& from);

  StepMemory before_;
  size_t lists_ = 0;
  StepArgs args_;
  std::vector<StepValue> inputs_;
  std::vector<std::vector<std::byte>> input_bytes_;
  std::vector<int32_t> positions_, row_seq_;
  std::vector<StepStats::Sequence> sequences_;
  std::vector<KvView> views_;
  std::vector<float*> recurrent_;
  std::deque<std::vector<std::byte*>> pages_;
  std::deque<std::vector<IndexRun>> runs_;
  std::deque<SparqParams> params_;
  std::vector<SparqPolicy> policies_;
};

}  // namespace skald
