#include "backend/split_backend.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <utility>

#include "base/error.h"
#include "graph/lower.h"
#include "tensor/buffer.h"

namespace skald {
namespace {

/// What one device takes of the weights. Devices share it only where they take the same ones.
class ShareOfWeights : public WeightSource {
 public:
  ShareOfWeights(const WeightSource& all, const Graph& own, std::set<std::string> of_others)
      : all_(all), of_others_(std::move(of_others)) {
    for (const Node& node : own.nodes())
      if (node.source == Source::kWeight) names_ += ' ' + node.name;
  }
  WeightPlace place(std::string_view name) const override { return all_.place(name); }
  void release(std::string_view name) const override {
    if (!of_others_.contains(std::string(name))) all_.release(name);
  }
  bool in_file() const override { return all_.in_file(); }
  std::shared_ptr<const DeviceWeights> shared(const std::string& key, const Load& load) const override {
    return all_.shared(key + " of" + names_, load);
  }

 private:
  const WeightSource& all_;
  std::set<std::string> of_others_;
  std::string names_;
};

class SplitWeights : public DeviceWeights {
 public:
  int64_t bytes() const override {
    int64_t sum = 0;
    for (const auto& w : of_device) sum += w->bytes();
    return sum;
  }
  void lock() const override {
    for (const auto& w : of_device) w->lock();
  }
  std::vector<std::shared_ptr<const DeviceWeights>> of_device;
};

class SplitProgram : public Program {
 public:
  SplitProgram(SplitBackend::Placed placed, std::span<const std::unique_ptr<Backend>> devices, const SplitWeights& weights)
      : graph_(std::move(placed.graph)) {
    for (GraphPart& part : split(graph_, placed.devices)) {
      for (const PartValue& v : part.bound)
        if (!v.given) buffer(v.node, part.device);
      auto program = devices[part.device]->compile(part.graph, *weights.of_device[part.device]);
      parts_.push_back({std::move(program), part.device, std::move(part.bound), std::move(part.exports), part.has_output});
    }
  }

  TensorView run(const StepArgs& step, Profile* profile) override {
    TensorView output;
    for (const Part& part : parts_) {
      StepArgs args = step;
      bound_.clear();
      for (const PartValue& v : part.bound)
        bound_.push_back(v.given ? given(step, v.node) : BoundValue{buffer(v.node, part.device).data()});
      args.bound = bound_;
      const TensorView out = part.program->run(args, profile);
      if (part.has_output) output = out;
      for (int id : part.exports) send(id, part.device, step);
    }
    return output;
  }
  const Graph& graph() const override { return graph_; }

 private:
  struct Part {
    std::unique_ptr<Program> program;
    size_t device;
    std::vector<PartValue> bound;
    std::vector<int> exports;
    bool has_output;
  };

  Buffer& buffer(int node, size_t device) {
    Buffer& b = buffers_[{node, device}];
    const int64_t bytes = graph_.node(node).out.tensor().bytes();
    if (b.size() < bytes) b = Buffer(bytes);
    return b;
  }

  BoundValue given(const StepArgs& step, int node) const {
    return step.bound[static_cast<size_t>(std::ranges::find(graph_.bound, node) - graph_.bound.begin())];
  }

  // To every other device that reads it, once: its actual rows.
  void send(int id, size_t from, const StepArgs& step) {
    const auto bytes = static_cast<size_t>(step.stats.bytes(graph_.node(id).out));
    const std::byte* source = buffer(id, from).data();
    for (auto it = buffers_.lower_bound({id, 0}); it != buffers_.end() && it->first.first == id; ++it)
      if (it->first.second != from && bytes) std::memcpy(it->second.data(), source, bytes);
  }

  Graph graph_;
  std::vector<Part> parts_;
  std::map<std::pair<int, size_t>, Buffer> buffers_;  // (value that crosses, device)
  std::vector<BoundValue> bound_;                     // of the running part
};

std::set<std::string> weights_of(const Graph& graph) {
  std::set<std::string> out;
  for (const Node& node : graph.nodes())
    if (node.source == Source::kWeight) out.insert(node.name);
  return out;
}

}  // namespace

SplitBackend::SplitBackend(std::vector<std::unique_ptr<Backend>> devices, Placement placement)
    : devices_(std::move(devices)), placement_(std::move(placement)) {
  SKALD_ASSERT(!devices_.empty());
}

bool SplitBackend::supports(const Graph& graph, const Node& node) const {
  return std::ranges::any_of(devices_, [&](const auto& d) { return d->supports(graph, node); });
}

SplitBackend::Placed SplitBackend::placed(const Graph& graph) const {
  Placed out{lower(graph, [this](const Graph& g, const Node& node) { return supports(g, node); }), {}};
  out.devices = place(out.graph, placement_, devices_.size(),
                      [&](size_t device, const Node& node) { return devices_[device]->supports(out.graph, node); });
  return out;
}

std::shared_ptr<const DeviceWeights> SplitBackend::load(const Graph& graph, const WeightSource& source) {
  const Placed p = placed(graph);
  std::vector<Graph> shares;
  for (size_t d = 0; d < devices_.size(); ++d) shares.push_back(share_of(p.graph, p.devices, d));
  auto weights = std::make_shared<SplitWeights>();
  for (size_t d = 0; d < devices_.size(); ++d) {
    std::set<std::string> of_others;
    for (size_t other = 0; other < devices_.size(); ++other)
      if (other != d) of_others.merge(weights_of(shares[other]));
    weights->of_device.push_back(devices_[d]->load(shares[d], ShareOfWeights(source, shares[d], std::move(of_others))));
  }
  return weights;
}

std::unique_ptr<Program> SplitBackend::compile(const Graph& graph, const DeviceWeights& weights) {
  const auto* own = dynamic_cast<const SplitWeights*>(&weights);
  SKALD_ASSERT(own);
  return std::make_unique<SplitProgram>(placed(graph), devices_, *own);
}

int64_t SplitBackend::work_bytes() const {
  int64_t sum = 0;
  for (const auto& d : devices_) sum += d->work_bytes();
  return sum;
}

}  // namespace skald
