// GpuWeights: a model's weights in a device's memory: in fragments where only products read them that take these; else as
// rows. Formats that no kernel reads become f16.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "backend/gpu/memory.h"
#include "base/thread_pool.h"
#include "graph/graph.h"
#include "skald/types.h"
#include "tensor/weight_source.h"

namespace skald::gpu {

/// The format in which a weight of this format lies in the device's memory.
const Format& format_on_device(const GpuKernels& kernels, const Format& format);

/// Whether a weight lies in fragments where operations multiply by it.
bool lies_in_fragments(const GpuKernels& kernels, const TensorDesc& weight);

class GpuWeights : public DeviceWeights {
 public:
  /// Brings the weights of `graph` over one by one, packed by the threads of `pool`; rows go back to the source after that.
  /// `progress` receives the share that is there, 0 to 1. Throws kNoMemory, and kUnsupported naming a weight that a file has
  /// in panels only.
  GpuWeights(Device& device, ThreadPool& pool, const Graph& graph, const WeightSource& source,
             const OnProgress& on_progress);

  /// The address of a weight's rows on the device; null where it lies in fragments only.
  std::byte* rows(std::string_view name) const;
  /// That of its fragments (quant/fragments.h); null where there are none.
  std::byte* fragments(std::string_view name) const;
  int64_t bytes() const override { return bytes_; }

 private:
  struct Weight {
    std::unique_ptr<GpuBuffer> rows = {}, fragments = {};
  };
  const Weight& at(std::string_view name) const;

  std::unordered_map<std::string, Weight> weights_;
  int64_t bytes_ = 0;
};

}  // namespace skald::gpu
