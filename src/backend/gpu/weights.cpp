#include "backend/gpu/weights.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <vector>

#include "backend/gpu/gpu_op.h"
#include "base/checked.h"
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

/// A weight on its way: threads put its bytes together, block by block.
class Packing {
 public:
  Packing(Device& device, Upload& upload, ThreadPool& pool, std::string_view name, const TensorDesc& weight,
          const std::byte* rows)
      : device_(device),
        upload_(upload),
        pool_(pool),
        weight_(weight),
        rows_(rows),
        converted_(static_cast<size_t>(pool.size()), Converted(device.kernels(), name, weight)) {}

  std::unique_ptr<GpuBuffer> in_rows() {
    constexpr int64_t kNumbers = int64_t{1} << 16;  // of a piece: whole blocks of all formats
    const int64_t n = weight_.shape.elements(), bytes = format().bytes(n);
    auto buffer = std::make_unique<GpuBuffer>(device_, bytes, Use::kWeights);
    if (&format() == weight_.format) {
      upload_.write(buffer->data(), rows_, bytes);
      return buffer;
    }
    write(buffer->data(), bytes, format().bytes(kNumbers), [&](int64_t piece, std::byte* to, Converted& converted) {
      const int64_t first = piece * kNumbers, some = std::min(kNumbers, n - first);
      std::memcpy(to, converted(rows_ + weight_.format->bytes(first), some), static_cast<size_t>(format().bytes(some)));
    });
    return buffer;
  }

  /// Panel by panel; each matrix of several has panels of its own.
  std::unique_ptr<GpuBuffer> in_fragments() {
    const FragmentLayout& layout = *find_fragments(format().id);
    const int64_t k = weight_.shape.back(), n = weight_.shape[weight_.shape.rank() - 2];
    const int64_t panels = ceil_div(n, kPanelRows), bytes = matrices_of(weight_.shape) * layout.bytes(n, k);
    auto buffer = std::make_unique<GpuBuffer>(device_, bytes, Use::kWeights);
    write(buffer->data(), bytes, layout.panel_bytes(k), [&](int64_t piece, std::byte* to, Converted& converted) {
      const int64_t matrix = piece / panels, row = piece % panels * kPanelRows, some = std::min(kPanelRows, n - row);
      const std::byte* const from = converted(rows_ + (matrix * n + row) * weight_.row_bytes(), some * k);
      std::memset(to, 0, static_cast<size_t>(layout.panel_bytes(k)));
      layout.pack({from, format().bytes(k), some, k}, to);
    });
    return buffer;
  }

 private:
  const Format& format() const { return converted_.front().format(); }

  // `bytes` in pieces of one size, but for the last. make(piece, to, the thread's Converted).
  template <class Make>
  void write(std::byte* to, int64_t bytes, int64_t piece_bytes, Make make) {
    constexpr int64_t kBlockBytes = 4 << 20;
    const int64_t pieces = ceil_div(bytes, piece_bytes), at_once = std::clamp(kBlockBytes / piece_bytes, int64_t{1}, pieces);
    std::vector<std::byte> block(static_cast<size_t>(at_once * piece_bytes));
    for (int64_t first = 0; first < pieces; first += at_once) {
      pool_.dynamic(std::min(at_once, pieces - first), [&](int64_t i, int thread) {
        make(first + i, block.data() + i * piece_bytes, converted_[static_cast<size_t>(thread)]);
      });
      const int64_t begin = first * piece_bytes;
      upload_.write(to + begin, block.data(), std::min(std::ssize(block), bytes - begin));
    }
  }

  Device& device_;
  Upload& upload_;
  ThreadPool& pool_;
  const TensorDesc& weight_;
  const std::byte* rows_;
  std::vector<Converted> converted_;  // one for each thread
};

}  // namespace

const Format& format_on_device(const GpuKernels& kernels, const Format& format) {
  return kernels.embed[format.id] || !format.decode ? format : format_f16;
}

bool lies_in_fragments(const GpuKernels& kernels, const TensorDesc& weight) {
  const uint32_t format = format_on_device(kernels, *weight.format).id;
  return kernels.product[format] && find_fragments(format);
}

GpuWeights::GpuWeights(Device& device, ThreadPool& pool, const Graph& graph, const WeightSource& source,
                       const OnProgress& on_progress) {
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
    Packing packing(device, *upload, pool, name, use.desc, place.rows);
    if (use.fragments) w.fragments = packing.in_fragments();
    if (use.rows || !use.fragments) w.rows = packing.in_rows();
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
