#include "graph/ops/softcap.h"

#include <fmt/format.h>

#include "graph/checks.h"

namespace skald {

std::string Softcap::describe() const { return fmt::format("cap {:g}", cap); }

static ValueDesc infer(const Softcap& a, std::span<const ValueDesc> in) {
  want_inputs(in, 1);
  if (!(a.cap > 0)) fail(Errc::kBadInput, "want a positive cap, got {}", a.cap);
  return in[0];
}

const OpDef op_softcap = define_op<Softcap, infer>("softcap", {.in_place = true, .by_rows = true});

Tensor softcap(Tensor x, float cap) { return x.graph->add(op_softcap, Attrs(Softcap{cap}), {x}); }

}  // namespace skald
