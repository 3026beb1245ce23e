#include "backend/gpu/meter.h"

#include <algorithm>

#include "backend/gpu/gpu_op.h"
#include "backend/gpu/memory.h"
#include "backend/gpu/weights.h"
#include "kernels/gpu/limits.h"
#include "quant/bf16/block.h"
#include "quant/f16/block.h"

namespace skald::gpu {
namespace {

constexpr int64_t kReadBytes = int64_t{1} << 30, kPieceBytes = 16;  // much more than a cache holds
constexpr int64_t kBlocks = 4096, kSteps = 256;                     // many for each multiprocessor
constexpr double kHalvesOfProduct = 2 * 16 * 8 * 16, kCodesOfProduct = 2 * 16 * 8 * 32;
constexpr uint32_t kHalfOnes = 0x3c003c00, kByteOnes = 0x01010101;
constexpr double kWarps = kBlocks * kLimitThreads / simt::kWarp;

}  // namespace

// Launches one after another, for about this long.
double GpuMeter::seconds_of_one(const std::function<void()>& launch, double seconds) const {
  device_.seconds(launch);
  const double once = device_.seconds(launch);
  const auto n = static_cast<int>(std::clamp(seconds / std::max(once, 1e-6), 1.0, 1e5));
  const double all = device_.seconds([&] {
    for (int i = 0; i < n; ++i) launch();
  });
  device_.check_launches();
  return all / n;
}

double GpuMeter::read_rate(double seconds) const {
  const int64_t bytes = std::min(kReadBytes, device_.info().free_bytes / 4) / kPieceBytes * kPieceBytes;
  const GpuBuffer data(device_, bytes, Use::kWeights),
      out(device_, kBlocks * kLimitThreads * static_cast<int64_t>(sizeof(uint32_t)), Use::kWork);
  const ReadBytesArgs args{data.data(), bytes / kPieceBytes, reinterpret_cast<uint32_t*>(out.data())};
  const auto launch = [&] { device_.kernels().read_bytes(device_.stream(), args, kBlocks); };
  return static_cast<double>(bytes) / seconds_of_one(launch, seconds) * 1e-9;
}

double GpuMeter::multiply_rate(Launch<MultiplyArgs> multiply, uint32_t word, double operations, double seconds) const {
  const GpuBuffer out(device_, kBlocks * kLimitThreads * static_cast<int64_t>(sizeof(float)), Use::kWork);
  const MultiplyArgs args{kSteps, word, reinterpret_cast<float*>(out.data())};
  const auto launch = [&] { multiply(device_.stream(), args, kBlocks); };
  return operations * kLimitProducts * kSteps * kWarps / seconds_of_one(launch, seconds) * 1e-9;
}

Roofline GpuMeter::measure(double seconds) const {
  if (device_.info().emulated) return {};
  const GpuKernels& k = device_.kernels();
  return {.read_gb_per_s = read_rate(seconds / 2),
          .bf16_gflop_per_s = multiply_rate(k.multiply_halves, kHalfOnes, kHalvesOfProduct, seconds / 4),
          .int8_gop_per_s = multiply_rate(k.multiply_codes, kByteOnes, kCodesOfProduct, seconds / 4)};
}

double GpuMeter::peak_of(const Graph& graph, const Node& node, const Roofline& roofline) const {
  const GpuOp* op = find_gpu_op(*node.op);
  if (!node.op->matmul || !op || !op->fragments) return 0;
  const TensorDesc weight = graph.node(node.inputs[1]).out.tensor();
  if (!lies_in_fragments(device_.kernels(), weight)) return 0;
  const uint32_t format = format_on_device(device_.kernels(), *weight.format).id;
  return format == BlockF16::kId || format == BlockBf16::kId ? roofline.bf16_gflop_per_s : roofline.int8_gop_per_s;
}

}  // namespace skald::gpu
