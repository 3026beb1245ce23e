#include "backend/gpu/weights.h"

#include "base/error.h"

namespace skald::gpu {

GpuWeights::GpuWeights(Device& device, const Graph& graph, const WeightSource& source, const OnProgress& on_progress) {
  int64_t total = 0;
  for (const Node& node : graph.nodes())
    if (node.source == Source::kWeight) total += node.out.tensor().bytes();
  if (on_progress) on_progress(0, total);
  for (const Node& node : graph.nodes()) {
    if (node.source != Source::kWeight || weights_.contains(node.name)) continue;
    const WeightPlace place = source.place(node.name);
    if (!place.rows)
      fail(Errc::kUnsupported, "device {}: tensor {} lies in panels for the CPU: use the file that was packed",
           device.info().kind, node.name);
    const int64_t bytes = node.out.tensor().bytes();
    auto piece = std::make_unique<GpuBuffer>(device, bytes, Use::kWeights);
    device.write(piece->data(), place.rows, bytes);
    weights_.emplace(node.name, std::move(piece));
    source.release(node.name);
    bytes_ += bytes;
    if (on_progress) on_progress(bytes_, total);
  }
}

std::byte* GpuWeights::at(std::string_view name) const {
  const auto at = weights_.find(std::string(name));
  if (at == weights_.end()) fail(Errc::kInternal, "weight {} was not loaded", name);
  return at->second->data();
}

}  // namespace skald::gpu
