#include "errors.h"

#include <string>

#include "cli/flags/fields.h"
#include "cli/flags/flags.h"
#include "skald/error.h"

namespace nb = nanobind;

namespace skald::python {
namespace {

const char* word_of(Errc code) {
  switch (code) {
    case Errc::kBadInput:
      return "bad_input";
    case Errc::kBadFile:
      return "bad_file";
    case Errc::kNotFound:
      return "not_found";
    case Errc::kUnsupported:
      return "unsupported";
    case Errc::kNoMemory:
      return "no_memory";
    case Errc::kDevice:
      return "device";
    case Errc::kBusy:
      return "busy";
    case Errc::kInternal:
      break;
  }
  return "internal";
}

void raise(const char* code, const std::string& message) {
  const nb::object type = nb::module_::import_("skald.errors").attr("Error");
  PyErr_SetObject(type.ptr(), type(code, nb::str(message.data(), message.size())).ptr());
}

void translate(const std::exception_ptr& error, void*) {
  try {
    std::rethrow_exception(error);
  } catch (const Error& e) {
    raise(word_of(e.code()), in_flags(e.what()));
  } catch (const UsageError& e) {
    raise(word_of(Errc::kBadInput), e.what());
  }
}

}  // namespace

void bind_errors(nb::module_&) { nb::register_exception_translator(translate); }

void check_signals() {
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

}  // namespace skald::python
