#include "backend/gpu/weights.h"

#include <algorithm>
#include <vector>

#include "base/error.h"

namespace skald::gpu {
namespace {

int64_t bytes_on_device(const Device& device, const TensorDesc& weight) {
  return format_on_device(device.kernels(), *weight.format).bytes(weight.shape.elements());
}

// Some numbers at a time.
void write_decoded(Device& device, const TensorDesc& weight, const std::byte* rows, std::byte* to) {
  constexpr int64_t kNumbers = int64_t{1} << 20;
  const int64_t n = weight.shape.elements();
  std::vector<float> numbers(static_cast<size_t>(std::min(n, kNumbers)));
  for (int64_t i = 0; i < n; i += kNumbers) {
    const int64_t some = std::min(kNumbers, n - i);
    weight.format->decode(rows + weight.format->bytes(i), numbers.data(), some);
    device.write(to + format_f32.bytes(i), reinterpret_cast<const std::byte*>(numbers.data()), format_f32.bytes(some));
  }
}

}  // namespace

const Format& format_on_device(const GpuKernels& kernels, const Format& format) {
  return kernels.linear[format.id] || !format.decode ? format : format_f32;
}

GpuWeights::GpuWeights(Device& device, const Graph& graph, const WeightSource& source, const OnProgress& on_progress) {
  int64_t total = 0;
  for (const Node& node : graph.nodes())
    if (node.source == Source::kWeight) total += bytes_on_device(device, node.out.tensor());
  if (on_progress) on_progress(0, total);
  for (const Node& node : graph.nodes()) {
    if (node.source != Source::kWeight || weights_.contains(node.name)) continue;
    const WeightPlace place = source.place(node.name);
    if (!place.rows)
      fail(Errc::kUnsupported, "device {}: tensor {} lies in panels for the CPU: use the file that was packed",
           device.info().kind, node.name);
    const TensorDesc weight = node.out.tensor();
    const int64_t bytes = bytes_on_device(device, weight);
    auto piece = std::make_unique<GpuBuffer>(device, bytes, Use::kWeights);
    if (&format_on_device(device.kernels(), *weight.format) == weight.format)
      device.write(piece->data(), place.rows, bytes);
    else
      write_decoded(device, weight, place.rows, piece->data());
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
