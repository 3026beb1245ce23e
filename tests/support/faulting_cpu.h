// FaultingCpu: the CPU as a device with memory of its own, and splits of a model over such devices.
#pragma once

#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "backend/cpu/cpu_backend.h"
#include "backend/split_backend.h"
#include "tests/support/faulting_memory.h"

namespace skald::test {

class FaultingCpu : public Backend {
 public:
  explicit FaultingCpu(int threads = 2) : cpu_(threads, "") {}

  BackendInfo info() const override { return cpu_.info(); }
  bool supports(const Graph& graph, const Node& node) const override { return cpu_.supports(graph, node); }
  std::shared_ptr<const DeviceWeights> load(const Graph& graph, const WeightSource& source) override {
    return cpu_.load(graph, source);
  }
  std::shared_ptr<const DeviceAdapter> adapt(const Graph& graph, std::shared_ptr<const Adapter> adapter) override {
    return cpu_.adapt(graph, std::move(adapter));
  }
  std::unique_ptr<Program> compile(const Graph& graph, const DeviceWeights& weights) override {
    return std::make_unique<OwnProgram>(memory_, cpu_.compile(graph, weights));
  }
  void share(int64_t n, const std::function<void(int64_t)>& fn) override { cpu_.share(n, fn); }
  int64_t work_bytes() const override { return cpu_.work_bytes(); }
  std::vector<DeviceMemory*> state_memories(const Graph& graph) override {
    return std::vector<DeviceMemory*>(graph.states.size(), &memory_);
  }
  FaultingMemory& memory() override { return memory_; }
  const DeviceMeter& meter() override { return cpu_.meter(); }

 private:
  /// Gives its output in the memory, too.
  class OwnProgram : public Program {
   public:
    OwnProgram(FaultingMemory& memory, std::unique_ptr<Program> program) : memory_(memory), program_(std::move(program)) {}

    const StepOutputs& run(const StepArgs& step) override {
      const FaultingMemory::Open open(memory_);
      outputs_.clear();
      size_t i = 0;
      for (const StepOutput& out : program_->run(step)) outputs_.add({out.name, moved(out.rows, i++), &memory_});
      return outputs_;
    }
    const Graph& graph() const override { return program_->graph(); }

   private:
    // Of a bound value or the CPU's own.
    TensorView moved(TensorView rows, size_t i) {
      const int64_t n = rows.rows(), bytes = n ? (n - 1) * rows.row_stride() + rows.desc.row_bytes() : 0;
      if (buffers_.size() <= i) buffers_.resize(i + 1);
      if (!buffers_[i] || buffers_[i]->size() < bytes) buffers_[i] = memory_.allocate(bytes);
      memory_.write(buffers_[i]->data(), rows.data, bytes);
      rows.data = buffers_[i]->data();
      return rows;
    }

    FaultingMemory& memory_;
    std::unique_ptr<Program> program_;
    std::vector<std::unique_ptr<DeviceBuffer>> buffers_;  // of each output
    StepOutputs outputs_;
  };

  CpuBackend cpu_;
  FaultingMemory memory_;
};

/// Two devices with memories of their own, which take layers in turns; the second has what lies outside of layers, too.
inline std::unique_ptr<SplitBackend> two_memories(int threads = 2) {
  std::vector<std::unique_ptr<Backend>> devices;
  for (int i = 0; i < 2; ++i) devices.push_back(std::make_unique<FaultingCpu>(threads));
  const auto in_turns = [](std::string_view layer) {
    return layer.empty() ? size_t{1} : static_cast<size_t>((layer.back() - '0') % 2);
  };
  return std::make_unique<SplitBackend>(std::move(devices), by_layer(in_turns));
}

}  // namespace skald::test
