#include "backend/gpu/weights.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "backend/gpu/gpu_op.h"
#include "base/error.h"
#include "quant/fragments.h"
#include "quant/registry.h"

namespace skald::gpu {
namespace {

/// Rows of a weight in the format that they have on the device.
class Converted {
 public:
  Converted(const GpuKernels& kernels, std::string_view name, const TensorDesc& weight)
      : name_(name), from_(*weight.format), to_(format_on_device(kernels, from_)) {}
  const Format& format() const { return to_; }
  /// `n` numbers from `rows` on; what is given lasts until the next call.
  const std::byte* operator()(const std::byte* rows, int64_t n) {
    if (&from_ == &to_) return rows;
    numbers_.resize(static_cast<size_t>(n));
    bytes_.resize(static_cast<size_t>(to_.bytes(n)));
    from_.decode(rows, numbers_.data(), n);
    for (const float x : numbers_)
      if (std::abs(x) > kLargestF16)
        fail(Errc::kUnsupported, "tensor {}: {} is too large for a number of 16 bits", name_, x);
    to_.encode(numbers_.data(), bytes_.data(), n);
    return bytes_.data();
  }

 private:
  static constexpr float kLargestF16 = 65504;
  std::string_view name_;
  const Format &from_, &to_;
  std::vector<float> numbers_;
  std::vector<std::byte> bytes_;
};

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

std::unique_ptr<GpuBuffer> in_rows(Device& device, Upload& upload, Converted& converted, const TensorDesc& weight,
                                   const std::byte* rows) {
  constexpr int64_t kNumbers = int64_t{1} << 20;  // at a time
  const int64_t n = weight.shape.elements();
  auto buffer = std::make_unique<GpuBuffer>(device, converted.format().bytes(n), Use::kWeights);
  for (int64_t i = 0; i < n; i += kNumbers) {
    const int64_t some = std::min(kNumbers, n - i);
    upload.write(buffer->data() + converted.format().bytes(i), converted(rows + weight.format->bytes(i), some),
                 converted.format().bytes(some));
  }
  return buffer;
}

// Panel by panel; each matrix of several has panels of its own.
std::unique_ptr<GpuBuffer> in_fragments(Device& device, Upload& upload, Converted& converted, const TensorDesc& weight,
                                        const std::byte* rows) {
  const FragmentLayout& layout = *find_fragments(converted.format().id);
  const int64_t k = weight.shape.back(), n = weight.shape[weight.shape.rank() - 2], matrices = matrices_of(weight.shape);
  auto buffer = std::make_unique<GpuBuffer>(device, matrices * layout.bytes(n, k), Use::kWeights);
  std::vector<std::byte> panel(static_cast<size_t>(layout.panel_bytes(k)));
  std::byte* to = buffer->data();
  for (int64_t matrix = 0; matrix < matrices; ++matrix)
    for (int64_t row = 0; row < n; row += kPanelRows, to += panel.size()) {
      const int64_t some = std::min(kPanelRows, n - row);
      const std::byte* const from = converted(rows + (matrix * n + row) * weight.row_bytes(), some * k);
      std::ranges::fill(panel, std::byte{0});
      layout.pack({from, converted.format().bytes(k), some, k}, panel.data());
      upload.write(to, panel.data(), std::ssize(panel));
    }
  return buffer;
}

}  // namespace

const Format& format_on_device(const GpuKernels& kernels, const Format& format) {
  return kernels.embed[format.id] || !format.decode ? format : format_f16;
}

bool lies_in_fragments(const GpuKernels& kernels, const TensorDesc& weight) {
  const uint32_t format = format_on_device(kernels, *weight.format).id;
  return kernels.product[format] && find_fragments(format);
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
    Converted converted(device.kernels(), name, use.desc);
    if (use.fragments) w.fragments = in_fragments(device, *upload, converted, use.desc, place.rows);
    if (use.rows || !use.fragments) w.rows = in_rows(device, *upload, converted, use.desc, place.rows);
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
