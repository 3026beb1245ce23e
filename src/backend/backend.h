// Backend: something that can run graphs. Program: one graph compiled for it.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "backend/roofline.h"
#include "graph/graph.h"
#include "graph/memory_plan.h"
#include "graph/profile.h"
#include "kernels/api/kv_view.h"
#include "skald/sparq_params.h"
#include "tensor/tensor.h"

namespace skald {

struct SparqTimes;
class StepObserver;

/// Where a value lies that the caller has the memory of.
struct BoundValue {
  std::byte* data = nullptr;
  int64_t slice_stride = 0;  // as in TensorView
};

/// What one step feeds to a program. All pointers stay valid until run() returns.
struct StepArgs {
  const int32_t* tokens = nullptr;            // (n_tokens)
  const int32_t* positions = nullptr;         // (n_tokens), also the index of the row's key in its sequence
  const int32_t* kept_positions = nullptr;    // (n_tokens), less what was dropped; only for programs of shifted sequences
  const int32_t* prefix_positions = nullptr;  // (n_tokens), as far as the sequence's prefix goes; only for graphs that ask
  const int32_t* suffix_positions = nullptr;  // (n_tokens), counted behind it, from 1; 0 within. Likewise
  const int32_t* output_rows = nullptr;       // (n_outputs), rows whose logits are wanted
  KvBatch kv;
  std::span<const BoundValue> bound = {};  // the values of Graph::bound
  bool decode = false;                     // as KvView::decode, where `bound` holds the cache
  const SparqParams* sparq = nullptr;      // for generated tokens, where a graph decodes sparsely
  SparqTimes* sparq_times = nullptr;       // to be added to, if there is one
  StepObserver* observer = nullptr;        // sees every operation's inputs, if there is one
  StepStats stats;
};

/// Where a weight's data lies; the shape and format are the graph's.
struct WeightPlace {
  const std::byte* rows = nullptr;    // null where only matmuls want it and they have panels
  const std::byte* panels = nullptr;  // quant/panels.h; null where it was not packed

  WeightPlace(const std::byte* rows, const std::byte* panels = nullptr) : rows(rows), panels(panels) {}
};

using WeightData = std::function<WeightPlace(std::string_view name)>;

class Program {
 public:
  virtual ~Program() = default;
  /// The output's actual rows; valid until the next run of any program of this backend. With a profile, every operation is
  /// timed.
  virtual TensorView run(const StepArgs& step, Profile* profile) = 0;
  virtual const Graph& graph() const = 0;
  virtual const MemoryPlan& memory() const = 0;
};

/// What a backend runs on, for reports.
struct BackendInfo {
  std::string device;                  // "AMD EPYC 9654"
  std::string isa;                     // "avx512bf16"
  int threads = 1, threads_batch = 1;  // of steps of a few rows, and of larger ones
  int64_t few_rows = 1;                // at most

  int threads_for(int64_t rows) const { return rows > few_rows ? threads_batch : threads; }
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual BackendInfo info() const = 0;
  virtual bool supports(const OpDef& op) const = 0;
  /// Throws kUnsupported where an operation, a weight's format or the graph's caches cannot be run here.
  virtual std::unique_ptr<Program> compile(const Graph& graph, const WeightData& weights) = 0;
  /// Bytes of activations and scratch that its programs share.
  virtual int64_t work_bytes() const = 0;

  /// Measures the device for about `seconds` (> 0).
  virtual Roofline measure_roofline(double seconds) = 0;
  /// The peak (GFLOP/s) of the arithmetic that the node's kernel uses.
  virtual double peak_of(const Graph& graph, const Node& node, const Roofline& roofline) const = 0;
};

}  // namespace skald
