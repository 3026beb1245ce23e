// Where a model's operations run that is split between the CPU and a GPU: what llama.cpp's -ngl, --cpu-moe and -ot say.
#pragma once

#include <string>

#include "graph/split.h"
#include "skald/options.h"

namespace skald::gpu {

inline constexpr size_t kCpu = 0, kGpu = 1;  // devices of the split

/// Whether the options ask for a split at all; without, all of a model is on the device.
bool splits(const DeviceOptions& options);

/// The last `gpu_layers` layers are on the GPU; what follows them, the output, counts as one. Embeddings are on the CPU.
/// Rules for tensors go before: --override-tensor, then experts of the first layers. An operation goes with its first weight
/// that a rule names. Throws kBadInput naming an option that is wrong.
Placement placement_by(const DeviceOptions& options);

}  // namespace skald::gpu
