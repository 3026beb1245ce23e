#include "graph/ops/columns.h"

#include <fmt/format.h>

#include "graph/checks.h"

namespace skald {

std::string Columns::describe() const { return fmt::format("{} to {}", first, first + n - 1); }

static ValueDesc infer(const Columns& a, std::span<const ValueDesc> in) {
  want_inputs(in, 1);
  want_matrix(in[0]);
  if (a.first < 0 || a.n < 1 || a.n > in[0].shape[1] - a.first)
    fail(Errc::kBadInput, "want columns {} to {}, but there are {}", a.first, a.first + a.n - 1, in[0].shape[1]);
  return {in[0].format, Shape{in[0].shape[0], a.n}, in[0].rows};
}

static Cost cost(const Columns&, std::span<const ValueDesc>, const ValueDesc&, const StepStats&) { return {}; }

static int64_t view_from(const Attrs& a) { return a.get<Columns>().first; }

const OpDef op_columns = define_op<Columns, infer, nullptr, cost>("columns", {.by_rows = true, .view_from = view_from});

}  // namespace skald
