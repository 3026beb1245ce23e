// Backend: something that can run graphs. Program: one graph compiled for it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/roofline.h"
#include "backend/step_values.h"
#include "graph/graph.h"
#include "graph/profile.h"
#include "kernels/api/kv_view.h"
#include "skald/options.h"
#include "tensor/device_memory.h"
#include "tensor/tensor.h"
#include "tensor/weight_source.h"

namespace skald {

class Group;
struct RankCut;
struct SparqReads;
struct SparqTimes;
class DeviceAdapter;
struct Adapter;
struct StepAdapters;
class StepObserver;

/// Where a value lies that the caller has the memory of.
struct BoundValue {
  std::byte* data = nullptr;
  int64_t slice_stride = 0;  // as in TensorView
};

/// What one step feeds to a program. All pointers stay valid until run() returns.
struct StepArgs {
  std::span<const StepValue> inputs =
      {};                              // of the graph's step_inputs(): (n_tokens) or (n_outputs) rows; others are ignored
  const int32_t* positions = nullptr;  // (n_tokens), of the row's key in its sequence; for operations that use `kv`
  KvBatch kv;
  std::span<const BoundValue> bound = {};  // the values of Graph::bound
  bool decode = false;                     // as KvView::decode, where `bound` holds the cache
  SparqTimes* sparq_times = nullptr;       // to be added to, if there is one
  SparqReads* sparq_reads = nullptr;       // likewise
  StepObserver* observer = nullptr;        // sees every operation's inputs, if there is one
  Profile* profile = nullptr;              // every operation's time is added to, if there is one
  const StepAdapters* adapters = nullptr;  // that change weights for some of its rows; null: none do
  Group* group = nullptr;                  // the ranks that compute it together; null: there is one
  StepStats stats;
};

class Program {
 public:
  virtual ~Program() = default;
  /// Gives the values of Graph::outputs(); valid until the next run of any program of this backend. Throws kInternal where
  /// the step lacks an input, or brings one of another type.
  virtual const StepOutputs& run(const StepArgs& step) = 0;
  virtual const Graph& graph() const = 0;
};

/// What a backend runs on, for reports.
struct BackendInfo {
  std::string device;                  // "AMD EPYC 9654"
  std::string isa;                     // "avx512bf16"
  int threads = 1, threads_batch = 1;  // of steps of a few rows, and of larger ones
  int64_t few_rows = 1;                // at most
  int numerics = 0;                    // a version: steps of two that are equal give the same bits

  int threads_for(int64_t rows) const { return rows > few_rows ? threads_batch : threads; }
};

/// What a device can do at best; apart from running graphs.
class DeviceMeter {
 public:
  virtual ~DeviceMeter() = default;
  /// Measures the device for about `seconds` (> 0).
  virtual Roofline measure(double seconds) const = 0;
  /// The peak (GFLOP/s) of the arithmetic that the node's kernel uses.
  virtual double peak_of(const Graph& graph, const Node& node, const Roofline& roofline) const = 0;
};

/// A graph in operations that some device has a kernel for, and where its nodes are.
struct PlacedGraph {
  Graph graph;
  std::vector<size_t> devices = {};     // of each node; empty: there is one device
  std::vector<int> moved = {};          // operations that are elsewhere than they were placed, as NodeDevices has them
  std::vector<std::string> names = {};  // of the devices
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual BackendInfo info() const = 0;
  /// Names its devices and the operations of the graph that each of them runs: all that decides bits besides `info`. Empty
  /// for one device.
  virtual std::string placement(const Graph&) const { return {}; }
  /// Returns where the graph's operations run; of one device, the graph as it is.
  virtual PlacedGraph placed(const Graph& graph) const { return {.graph = graph}; }
  /// Returns the part of a model's graph that this process computes, of which load() and compile() then take graphs; none:
  /// all of it.
  virtual std::optional<Graph> own_share(const Graph&) { return {}; }
  /// Whether it has a kernel for this node of the graph.
  virtual bool supports(const Graph& graph, const Node& node) const = 0;
  /// The graph's weights as this backend keeps them; the memory that `source` names must outlive them. Backends that would
  /// make the same of them share it.
  virtual std::shared_ptr<const DeviceWeights> load(const Graph& graph, const WeightSource& source) = 0;
  /// `weights` are what a backend of the same kind loaded; they must outlive the program. Throws kUnsupported where an
  /// operation, a weight's format or the graph's caches cannot be run here.
  virtual std::unique_ptr<Program> compile(const Graph& graph, const DeviceWeights& weights) = 0;
  /// Brings an adapter into the form in which programs of the model's graph apply it (StepArgs::adapters); from any thread.
  /// Throws kUnsupported where they cannot.
  virtual std::shared_ptr<const DeviceAdapter> adapt(const Graph& graph, std::shared_ptr<const Adapter> adapter);
  /// fn(i) for 0 <= i < n on the threads that steps use, which are idle between steps; in the calling one where there is
  /// nothing to share. `fn` must not throw.
  virtual void share(int64_t n, const std::function<void(int64_t)>& fn) = 0;
  /// Bytes of activations and scratch that its programs share.
  virtual int64_t work_bytes() const = 0;

  /// Names the memories in which its programs keep the graph's states, by slot: the same for all graphs of a model.
  virtual std::vector<DeviceMemory*> state_memories(const Graph& graph) = 0;
  /// Where the values of Graph::bound lie, which callers bring.
  virtual DeviceMemory& memory() = 0;
  /// For reports.
  virtual const DeviceMeter& meter() = 0;
};

/// A device that a backend can run on, for reports.
struct DeviceSummary {
  std::string name;                         // "AMD EPYC 9654"
  int64_t total_bytes = 0, free_bytes = 0;  // of its memory
};

/// One per folder of backend/, in its backend.cpp.
struct BackendDef {
  std::string_view name;
  DeviceSummary (*describe)(size_t device);
  /// Throws kBadInput for options that it cannot follow.
  std::unique_ptr<Backend> (*make)(const DeviceOptions&);
  bool for_tests = false;  // it is no faster than the CPU
  /// How many devices this machine has, which are numbered: "cuda0", "cuda1"; and why there is none. Null: there is one.
  size_t (*count)() = nullptr;
  std::string (*missing)() = nullptr;

  size_t devices() const { return count ? count() : 1; }
};

/// All backends (generated).
std::span<const BackendDef* const> backends();

/// The backend of a device that is named like this (DeviceName). Throws kBadInput listing the known names.
const BackendDef& find_backend(std::string_view device);

/// Returns how ranks share a model by the options.
RankCut cut_of(const DeviceOptions& options);
/// Returns in words those options that ranks of one model must have alike.
std::string options_of_ranks(const DeviceOptions& options);

/// The backend that `options.device` names. Throws kBadInput listing the known names, kUnsupported saying why
/// the machine has no such device.
std::unique_ptr<Backend> make_backend(const DeviceOptions& options);

}  // namespace skald
