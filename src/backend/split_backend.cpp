#include "backend/split_backend.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "adapters/adapter.h"
#include "backend/device_adapter.h"
#include "base/error.h"
#include "base/log.h"
#include "graph/lower.h"
#include "graph/sites.h"
#include "tensor/device_memory.h"

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
  bool in_panels(std::string_view name) const override { return all_.in_panels(name); }
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
  std::vector<std::shared_ptr<const DeviceWeights>> of_device;
};

class SplitAdapter : public DeviceAdapter {
 public:
  int64_t bytes() const override {
    int64_t sum = 0;
    for (const auto& a : of_device)
      if (a) sum += a->bytes();
    return sum;
  }
  std::vector<std::shared_ptr<const DeviceAdapter>> of_device;  // null: it changes nothing there
};

std::vector<AdaptedRows> rows_on(std::span<const AdaptedRows> rows, size_t device) {
  std::vector<AdaptedRows> out;
  for (AdaptedRows r : rows) {
    r.adapter = static_cast<const SplitAdapter*>(r.adapter)->of_device[device].get();
    if (r.adapter) out.push_back(r);
  }
  return out;
}

class SplitProgram : public Program {
 public:
  SplitProgram(PlacedGraph placed, std::span<const std::unique_ptr<Backend>> devices, const SplitWeights& weights)
      : graph_(std::move(placed.graph)) {
    std::vector<GraphPart> parts = split(graph_, placed.devices);
    for (const GraphPart& part : parts)
      for (const PartValue& v : part.bound) bind(v, part.device, *devices[part.device], devices.front()->memory());
    for (const GraphPart& part : parts) {
      auto program = devices[part.device]->compile(part.graph, *weights.of_device[part.device]);
      parts_.push_back({part.device, std::move(program), bound_of(part), copies_of(part)});
    }
  }

  const StepOutputs& run(const StepArgs& step) override {
    outputs_.clear();
    StepArgs args = step;
    for (const Part& part : parts_) {
      bound_.clear();
      for (const Bound& b : part.bound)
        bound_.push_back(b.given < 0 ? BoundValue{b.data} : step.bound[static_cast<size_t>(b.given)]);
      args.bound = bound_;
      StepAdapters adapters;
      if (step.adapters) {
        adapters = {rows_on(step.adapters->tokens, part.device), rows_on(step.adapters->outputs, part.device)};
        args.adapters = &adapters;
      }
      for (const StepOutput& out : part.program->run(args)) outputs_.add(out);
      carry(part.copies, step.stats);
    }
    return outputs_;
  }
  const Graph& graph() const override { return graph_; }

 private:
  /// A bound value of a part: in a buffer of ours, or one of the step's.
  struct Bound {
    std::byte* data = nullptr;
    int64_t given = -1;  // index into StepArgs::bound, < 0: in `data`
  };
  /// Where a value that crosses lies on one device.
  struct Crossing {
    DeviceMemory* memory = nullptr;
    std::unique_ptr<DeviceBuffer> buffer;
  };
  /// A value that another device reads. It goes through the host: from or to where the value lies, or by a place of its own.
  struct Copy {
    int node;
    const Crossing *from, *to;
    std::byte* host;
  };
  struct Part {
    size_t device;
    std::unique_ptr<Program> program;
    std::vector<Bound> bound;
    std::vector<Copy> copies;  // after it has run
  };

  // `callers`: where values that callers bring lie, which do not cross.
  void bind(const PartValue& v, size_t device, Backend& backend, const DeviceMemory& callers) {
    DeviceMemory& memory = backend.memory();
    if (v.given) {
      if (&memory != &callers)
        fail(Errc::kUnsupported, "{}: the caller's value is not in the memory of {}, which reads or gives it",
             graph_.node(v.node).name, backend.info().device);
      return;
    }
    Crossing& at = crossings_[{v.node, device}];
    if (!at.buffer) at = {&memory, memory.allocate(graph_.node(v.node).out.tensor().bytes())};
  }

  // The actual rows of what a part gave, read at once: its device is waited for once.
  void carry(std::span<const Copy> copies, const StepStats& stats) {
    const auto bytes = [&](const Copy& c) { return static_cast<int64_t>(stats.bytes(graph_.node(c.node).out)); };
    reads_.clear();
    for (const Copy& c : copies)
      if (!c.from->memory->host_visible()) reads_.push_back({c.host, c.from->buffer->data(), bytes(c)});
    if (!reads_.empty()) copies.front().from->memory->read_all(reads_);
    for (const Copy& c : copies)
      if (std::byte* const to = c.to->buffer->data(); to != c.host) c.to->memory->write(to, c.host, bytes(c));
  }

  // Where the host has the bytes of a value that crosses.
  std::byte* host_of(int node, const Crossing& from, const Crossing& to) {
    for (const Crossing* at : {&from, &to})
      if (at->memory->host_visible()) return at->buffer->data();
    return staging_.emplace_back(static_cast<size_t>(graph_.node(node).out.tensor().bytes())).data();
  }

  std::vector<Bound> bound_of(const GraphPart& part) const {
    std::vector<Bound> out;
    for (const PartValue& v : part.bound) {
      if (v.given)
        out.push_back({.given = std::ranges::find(graph_.bound, v.node) - graph_.bound.begin()});
      else
        out.push_back({.data = crossings_.at({v.node, part.device}).buffer->data()});
    }
    return out;
  }

  std::vector<Copy> copies_of(const GraphPart& part) {
    std::vector<Copy> out;
    for (int id : part.exports) {
      const auto from = crossings_.find({id, part.device});
      if (from == crossings_.end()) continue;  // in memory of the caller, which every part is bound to
      for (auto to = crossings_.lower_bound({id, 0}); to != crossings_.end() && to->first.first == id; ++to)
        if (to != from) out.push_back({id, &from->second, &to->second, host_of(id, from->second, to->second)});
    }
    return out;
  }

  Graph graph_;
  std::map<std::pair<int, size_t>, Crossing> crossings_;  // (value that crosses, device)
  std::vector<Part> parts_;
  StepOutputs outputs_;
  std::vector<BoundValue> bound_;                // of the running part
  std::vector<DeviceMemory::Piece> reads_;       // likewise
  std::vector<std::vector<std::byte>> staging_;  // values between devices of which neither is the host
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

BackendInfo SplitBackend::info() const {
  BackendInfo out = devices_.front()->info();
  std::set<std::string> named = {out.device};
  for (const auto& d : devices_)
    if (const BackendInfo info = d->info(); named.insert(info.device).second) {
      out.device += " + " + info.device;
      out.isa += " + " + info.isa;
    }
  return out;
}

// Devices by their numbers, each with how many operations in order it runs: "0*12 1*30 0*3".
std::string SplitBackend::placement(const Graph& graph) const {
  const PlacedGraph p = placed(graph);
  std::string out;
  for (const auto& d : devices_) {
    const BackendInfo info = d->info();
    out += fmt::format("{} numerics {} {}, ", info.isa, info.numerics, d->placement(p.graph));
  }
  std::vector<std::pair<size_t, int>> shares;
  for (int id = 0; id < p.graph.size(); ++id) {
    if (p.graph.node(id).source != Source::kOp) continue;
    const size_t device = p.devices[static_cast<size_t>(id)];
    if (shares.empty() || shares.back().first != device) shares.emplace_back(device, 0);
    ++shares.back().second;
  }
  for (const auto& [device, n] : shares) out += fmt::format(" {}*{}", device, n);
  return out;
}

bool SplitBackend::supports(const Graph& graph, const Node& node) const {
  return std::ranges::any_of(devices_, [&](const auto& d) { return d->supports(graph, node); });
}

PlacedGraph SplitBackend::placed(const Graph& graph) const {
  PlacedGraph out{.graph = lower(graph, [this](const Graph& g, const Node& node) { return supports(g, node); })};
  for (const auto& d : devices_) out.names.push_back(d->info().device);
  NodeDevices nodes = place(out.graph, placement_, devices_.size(),
                            [&](size_t device, const Node& node) { return devices_[device]->supports(out.graph, node); });
  out.devices = std::move(nodes.devices);
  out.moved = std::move(nodes.moved);
  return out;
}

std::shared_ptr<const DeviceWeights> SplitBackend::load(const Graph& graph, const WeightSource& source) {
  const PlacedGraph p = placed(graph);
  std::vector<Graph> shares;
  for (size_t d = 0; d < devices_.size(); ++d) shares.push_back(share_of(p.graph, p.devices, d));
  tell(p, shares);
  auto weights = std::make_shared<SplitWeights>();
  for (size_t d = 0; d < devices_.size(); ++d) {
    std::set<std::string> of_others;
    for (size_t other = 0; other < devices_.size(); ++other)
      if (other != d) of_others.merge(weights_of(shares[other]));
    weights->of_device.push_back(devices_[d]->load(shares[d], ShareOfWeights(source, shares[d], std::move(of_others))));
  }
  return weights;
}

// What went where, and what a device has no kernels for.
void SplitBackend::tell(const PlacedGraph& p, std::span<const Graph> shares) const {
  std::string where;
  for (size_t d = 0; d < devices_.size(); ++d) {
    const auto is_op = [](const Node& node) { return node.source == Source::kOp; };
    int64_t bytes = 0;
    for (const Node& node : shares[d].nodes())
      if (node.source == Source::kWeight) bytes += node.out.tensor().bytes();
    where += fmt::format("{}{}: {} operations with {} MiB of weights", d ? "; " : "", devices_[d]->info().isa,
                         std::ranges::count_if(shares[d].nodes(), is_op), bytes >> 20);
  }
  log(LogLevel::kInfo, "{}", where);
  std::map<std::string, int> moved;
  for (const int id : p.moved) {
    const Node& node = p.graph.node(id);
    ++moved[fmt::format("{} on {}", node.op->name, devices_[p.devices[static_cast<size_t>(id)]]->info().isa)];
  }
  for (const auto& [what, n] : moved)
    log(LogLevel::kWarn, "{}: {} of them: their device has no kernel for it, or not their cache", what, n);
}

std::shared_ptr<const DeviceAdapter> SplitBackend::adapt(const Graph& graph, std::shared_ptr<const Adapter> adapter) {
  const PlacedGraph p = placed(graph);
  auto out = std::make_shared<SplitAdapter>();
  for (size_t d = 0; d < devices_.size(); ++d) {
    const Graph share = share_of(p.graph, p.devices, d);
    const std::map<std::string, Site> sites = sites_of(share);
    auto own = std::make_shared<Adapter>(*adapter);
    std::erase_if(own->changes, [&](const auto& change) { return !sites.contains(change.first); });
    out->of_device.push_back(own->changes.empty() ? nullptr : devices_[d]->adapt(share, std::move(own)));
  }
  return out;
}

std::unique_ptr<Program> SplitBackend::compile(const Graph& graph, const DeviceWeights& weights) {
  const auto* own = dynamic_cast<const SplitWeights*>(&weights);
  SKALD_ASSERT(own);
  return std::make_unique<SplitProgram>(placed(graph), devices_, *own);
}

std::vector<DeviceMemory*> SplitBackend::state_memories(const Graph& graph) {
  const PlacedGraph p = placed(graph);
  std::vector<std::vector<DeviceMemory*>> of_device;
  for (const auto& d : devices_) of_device.push_back(d->state_memories(p.graph));
  std::vector<DeviceMemory*> out = of_device.front();
  for (int id = 0; id < p.graph.size(); ++id)
    if (const int64_t slot = slot_of(p.graph.node(id)); slot >= 0)
      out[static_cast<size_t>(slot)] = of_device[p.devices[static_cast<size_t>(id)]][static_cast<size_t>(slot)];
  return out;
}

int64_t SplitBackend::work_bytes() const {
  int64_t sum = 0;
  for (const auto& d : devices_) sum += d->work_bytes();
  return sum;
}

}  // namespace skald
