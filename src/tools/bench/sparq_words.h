// Words for reports of the keys that sparse decoding chose.
#pragma once

#include <string>
#include <vector>

#include "skald/sparq_params.h"

namespace skald {

/// "ratio 8: k1 8 to 14, k2 128; index int8", of the choices at several lengths (at least one).
std::string describe(const SparqParams& params, const std::vector<SparqParams::Choice>& choices);

}  // namespace skald
