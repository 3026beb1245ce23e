// Operations on arrays, without a model: skald/ops.h.
#pragma once

#include <nanobind/nanobind.h>

namespace skald::python {

void bind_ops(nanobind::module_& m);

}  // namespace skald::python
