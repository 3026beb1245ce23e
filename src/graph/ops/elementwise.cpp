#include "graph/ops/elementwise.h"

#include <fmt/format.h>

#include "graph/checks.h"
#include "graph/cuts.h"

namespace skald {

std::string ScaleBy::describe() const { return fmt::format("by {:g}", factor); }
std::string Clamp::describe() const { return fmt::format("within +-{:g}", limit); }
std::string Softcap::describe() const { return fmt::format("cap {:g}", cap); }

namespace {

template <class A>
ValueDesc as_input(const A&, std::span<const ValueDesc> in) {
  want_inputs(in, 1);
  return in[0];
}

ValueDesc infer_clamp(const Clamp& a, std::span<const ValueDesc> in) {
  if (!(a.limit > 0)) fail(Errc::kBadInput, "want a positive limit, got {}", a.limit);
  return as_input(a, in);
}

ValueDesc infer_softcap(const Softcap& a, std::span<const ValueDesc> in) {
  if (!(a.cap > 0)) fail(Errc::kBadInput, "want a positive cap, got {}", a.cap);
  return as_input(a, in);
}

constexpr OpTraits kElementwise{.in_place = true, .by_rows = true};

template <class A>
Tensor apply(const OpDef& op, const A& attrs, Tensor x) {
  return x.graph->add(op, Attrs(attrs), {x});
}

}  // namespace

const OpDef op_scale =
    with_cuts<ScaleBy, cut_columns_alike<ScaleBy>>(define_op<ScaleBy, as_input<ScaleBy>>("scale", kElementwise));
const OpDef op_clamp = with_cuts<Clamp, cut_columns_alike<Clamp>>(define_op<Clamp, infer_clamp>("clamp", kElementwise));
const OpDef op_softcap =
    with_cuts<Softcap, cut_columns_alike<Softcap>>(define_op<Softcap, infer_softcap>("softcap", kElementwise));
const OpDef op_rsqrt = with_cuts<Rsqrt, cut_columns_alike<Rsqrt>>(define_op<Rsqrt, as_input<Rsqrt>>("rsqrt", kElementwise));
const OpDef op_sigmoid =
    with_cuts<NoAttrs, cut_columns_alike<NoAttrs>>(define_op<NoAttrs, as_input<NoAttrs>>("sigmoid", kElementwise));
const OpDef op_softplus =
    with_cuts<NoAttrs, cut_columns_alike<NoAttrs>>(define_op<NoAttrs, as_input<NoAttrs>>("softplus", kElementwise));

Tensor scale(Tensor x, float factor) { return apply(op_scale, ScaleBy{factor}, x); }
Tensor clamp(Tensor x, float limit) { return apply(op_clamp, Clamp{limit}, x); }
Tensor softcap(Tensor x, float cap) { return apply(op_softcap, Softcap{cap}, x); }
Tensor rsqrt(Tensor x, float eps) { return apply(op_rsqrt, Rsqrt{eps}, x); }
Tensor sigmoid(Tensor x) { return apply(op_sigmoid, NoAttrs{}, x); }
Tensor softplus(Tensor x) { return apply(op_softplus, NoAttrs{}, x); }

}  // namespace skald
