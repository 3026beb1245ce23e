#include "sampling/surprise.h"

#include <cmath>

namespace skald {

Surprise::Surprise(const SamplingParams& params)
    : rate_(static_cast<double>(params.mirostat_lr)),
      target_(static_cast<double>(params.mirostat_ent)),
      most_(2 * static_cast<double>(params.mirostat_ent)) {}

void Surprise::accept(TokenId id) {
  if (const double p = last_.of(id); p > 0) most_ -= rate_ * (-std::log2(p) - target_);
}

}  // namespace skald
