// Errors of the library as exceptions of Python.
#pragma once

#include <nanobind/nanobind.h>

namespace skald::python {

/// Makes C++ exceptions skald.Error, with the library's code and words.
void bind_errors(nanobind::module_& m);

/// Lets Python run handlers of signals. Throws what they raise: KeyboardInterrupt at Ctrl-C.
void check_signals();

}  // namespace skald::python
