#include "graph/ops/kv_append.h"

#include "graph/checks.h"

namespace skald {

std::string KvAppend::describe() const { return fmt::format("slot {}", slot); }

static ValueDesc infer(const KvAppend& a, std::span<const ValueDesc> in) {
  want_inputs(in, 2);
  want_matrix(in[0]);
  want_matrix(in[1]);
  want_rows_of(in[0], in[1], "values");
  if (a.n_kv_heads <= 0 || in[0].shape[1] % a.n_kv_heads || in[1].shape[1] % a.n_kv_heads)
    fail(Errc::kBadInput, "keys of {} and values of {} do not divide over {} heads", in[0].shape[1], in[1].shape[1],
         a.n_kv_heads);
  return {&format_f32, Shape{0}, Rows::kFixed};
}

static Cost cost(const KvAppend&, std::span<const ValueDesc> in, const ValueDesc&, const StepStats& step) {
  return {.bytes = step.bytes(in[0]) + step.bytes(in[1]) +
                   step.elements(in[0]) * (step.kv_element_bytes_k + step.kv_index_bytes) +
                   step.elements(in[1]) * step.kv_element_bytes_v};
}

const OpDef op_kv_append = define_op<KvAppend, infer, nullptr, cost>("kv_append");

}  // namespace skald
