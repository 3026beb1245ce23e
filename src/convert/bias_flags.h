// Flags of config.json that say whether projections have biases, which the checkpoint says too.
#pragma once

#include <span>
#include <string>

#include "convert/hf_config.h"
#include "convert/tensor_names.h"

namespace skald {

/// Returns a warning of flags that say one thing while the tensors say another. The tensors count. Empty where they agree.
std::string bias_flags_that_differ(const HfConfig& config, std::span<const NamedTensor> tensors);

}  // namespace skald
