#include "models/parts/norms.h"

#include "graph/ops/binary.h"
#include "graph/ops/elementwise.h"
#include "graph/ops/mean.h"

namespace skald {

Tensor normalised(Tensor x, int64_t parts, float eps) { return x * rsqrt(mean(x * x, parts), eps); }

Tensor root(Tensor x) { return x * rsqrt(x, kTinySquare); }

}  // namespace skald
