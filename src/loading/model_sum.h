// Sums by which two models are told apart.
#pragma once

#include "base/digest.h"
#include "base/meta.h"
#include "loading/weight_set.h"

namespace skald {

/// Of all keys and values, in their order.
Sha256Sum meta_sum(const Meta& meta);
/// Of all names, types and shapes, and of samples of every weight's bytes: reading them all would take as long as loading.
Sha256Sum weight_sum(const WeightSet& weights);

}  // namespace skald
