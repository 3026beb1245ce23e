#include "graph/ops/rms_norm.h"

#include "graph/checks.h"
#include "graph/ops/mean.h"
#include "graph/ops/rsqrt.h"

namespace skald {

std::string RmsNorm::describe() const { return fmt::format("eps {:g}", eps); }

static ValueDesc infer(const RmsNorm&, std::span<const ValueDesc> in) {
  want_inputs(in, 2);
  if (const Shape want{in[0].shape.back()}; in[1].shape != want)
    fail(Errc::kBadInput, "weight: want {}, got {}", want.to_string(), in[1].shape.to_string());
  return in[0];
}

static Tensor expand(Graph&, const RmsNorm& a, std::span<const Tensor> in) {
  const Tensor x = in[0];
  return x * rsqrt(mean(x * x), a.eps) * in[1];
}

const OpDef op_rms_norm = define_op<RmsNorm, infer, expand>("rms_norm");

}  // namespace skald
