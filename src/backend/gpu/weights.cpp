#include "backend/gpu/weights.h"

#include <algorithm>
#include <map>
#include <vector>

#include "backend/gpu/gpu_op.h"
#include "base/error.h"
#include "quant/fragments.h"

namespace skald::gpu {
namespace {

int64_t bytes_on_device(const Device& device, const TensorDesc& weight) {
  return format_on_device(device.kernels(), *weight.format).bytes(weight.shape.elements());
}

// Some numbers at a time.
void write_decoded(Upload& upload, const TensorDesc& weight, const std::byte* rows, std::byte* to) {
  constexpr int64_t kNumbers = int64_t{1} << 20;
  const int64_t n = weight.shape.elements();
  std::vector<float> numbers(static_cast<size_t>(std::min(n, kNumbers)));
  for (int64_t i = 0; i < n; i += kNumbers) {
    const int64_t some = std::min(kNumbers, n - i);
    weight.format->decode(rows + weight.format->bytes(i), numbers.data(), some);
    upload.write(to + format_f32.bytes(i), reinterpret_cast<const std::byte*>(numbers.data()), format_f32.bytes(some));
  }
}

/// The forms in which operations read a weight.
struct Uses {
  TensorDesc desc;
  bool rows = false, fragments = false;
};

std::map<std::string, Uses> uses_of(const GpuKernels& kernels, const Graph& graph) {
  std::map<std::string, Uses> out;
  for (const Node& node : graph.nodes())
    if (node.source == Source::kWeight) out.try_emplace(node.name, Uses{node.out.tensor()});
  for (const Node& node : graph.nodes())
    for (size_t i = 0; node.source == Source::kOp && i < node.inputs.size(); ++i) {
      const Node& weight = graph.node(node.inputs[i]);
      if (weight.source != Source::kWeight) continue;
      Uses& use = out.at(weight.name);
      const GpuOp* op = find_gpu_op(*node.op);
      const bool multiplies = op && op->fragments && node.op->is_factor(i);
      (multiplies && lies_in_fragments(kernels, use.desc) ? use.fragments : use.rows) = true;
    }
  return out;
}

std::unique_ptr<GpuBuffer> in_rows(Device& device, Upload& upload, const TensorDesc& weight, const std::byte* rows) {
  auto buffer = std::make_unique<GpuBuffer>(device, bytes_on_device(device, weight), Use::kWeights);
  if (&format_on_device(device.kernels(), *weight.format) == weight.format)
    upload.write(buffer->data(), rows, buffer->size());
  else
    write_decoded(upload, weight, rows, buffer->data());
  return buffer;
}

// Panel by panel.
std::unique_ptr<GpuBuffer> in_fragments(Device& device, Upload& upload, const TensorDesc& weight, const std::byte* rows) {
  const FragmentLayout& layout = *find_fragments(weight.format->id);
  const int64_t n = weight.shape[0], k = weight.shape[1], row_bytes = weight.row_bytes();
  auto buffer = std::make_unique<GpuBuffer>(device, layout.bytes(n, k), Use::kWeights);
  std::vector<std::byte> panel(static_cast<size_t>(layout.panel_bytes(k)));
  for (int64_t row = 0; row < n; row += kPanelRows) {
    std::ranges::fill(panel, std::byte{0});
    layout.pack({rows + row * row_bytes, row_bytes, std::min(kPanelRows, n - row), k}, panel.data());
    upload.write(buffer->data() + row / kPanelRows * std::ssize(panel), panel.data(), std::ssize(panel));
  }
  return buffer;
}

}  // namespace

const Format& format_on_device(const GpuKernels& kernels, const Format& format) {
  return kernels.linear[format.id] || !format.decode ? format : format_f32;
}

bool lies_in_fragments(const GpuKernels& kernels, const TensorDesc& weight) {
  return weight.shape.rank() == 2 && kernels.product[weight.format->id] && find_fragments(weight.format->id);
}

GpuWeights::GpuWeights(Device& device, const Graph& graph, const WeightSource& source, const OnProgress& on_progress) {
  const std::map<std::string, Uses> all = uses_of(device.kernels(), graph);
  const std::unique_ptr<Upload> upload = device.upload();
  int64_t total = 0, done = 0;
  for (const auto& [name, use] : all) total += use.desc.bytes();
  if (on_progress) on_progress(0, total);
  for (const auto& [name, use] : all) {
    const WeightPlace place = source.place(name);
    if (!place.rows)
      fail(Errc::kUnsupported, "device {}: tensor {} lies in panels for the CPU: use the file that was packed",
           device.info().kind, name);
    Weight& w = weights_[name];
    if (use.fragments) w.fragments = in_fragments(device, *upload, use.desc, place.rows);
    if (use.rows || !use.fragments) w.rows = in_rows(device, *upload, use.desc, place.rows);
    for (const auto* buffer : {&w.fragments, &w.rows})
      if (*buffer) bytes_ += (*buffer)->size();
    source.release(name);
    done += use.desc.bytes();
    if (on_progress) on_progress(done, total);
  }
  upload->wait();
}

const GpuWeights::Weight& GpuWeights::at(std::string_view name) const {
  const auto at = weights_.find(std::string(name));
  if (at == weights_.end()) fail(Errc::kInternal, "weight {} was not loaded", name);
  return at->second;
}

std::byte* GpuWeights::rows(std::string_view name) const { return at(name).rows ? at(name).rows->data() : nullptr; }

std::byte* GpuWeights::fragments(std::string_view name) const {
  return at(name).fragments ? at(name).fragments->data() : nullptr;
}

}  // namespace skald::gpu
