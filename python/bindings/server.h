// Server: `skald serve` on threads of this process.
#pragma once

#include <nanobind/nanobind.h>

namespace skald::python {

void bind_server(nanobind::module_& m);

}  // namespace skald::python
