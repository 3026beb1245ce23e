// Service: a model that answers the requests of this process.
#pragma once

#include <nanobind/nanobind.h>

namespace skald::python {

void bind_service(nanobind::module_& m);

}  // namespace skald::python
