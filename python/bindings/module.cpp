// skald._core: the library for the Python package, whose modules give it its shape.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "cli/flags/serve_words.h"
#include "cli/program.h"
#include "errors.h"
#include "ops.h"
#include "server.h"
#include "service.h"
#include "skald/version.h"

namespace nb = nanobind;

namespace skald::python {
namespace {

int program(std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  const auto count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  const nb::gil_scoped_release release;
  return run_program(count, arguments.data());
}

// Names of one dash are left out: options of Python have long ones.
nb::list options(bool server) {
  nb::list out;
  for (const DeclaredFlag& flag : serve_flags(server ? ServeWords::kServer : ServeWords::kLocal)) {
    nb::list names, off;
    for (const DeclaredFlag::Name& name : flag.names)
      if (name.text.starts_with("--")) (name.off ? off : names).append(name.text);
    nb::dict one;
    one["names"] = names;
    one["off"] = off;
    one["takes_value"] = flag.takes_value;
    one["adds_up"] = flag.adds_up;
    one["kind"] = flag.kind;
    one["help"] = flag.help;
    one["group"] = flag.group;
    one["standard"] = flag.standard;
    out.append(one);
  }
  return out;
}

}  // namespace
}  // namespace skald::python

NB_MODULE(_core, m) {
  using namespace skald::python;
  bind_errors(m);
  bind_service(m);
  bind_server(m);
  bind_ops(m);
  m.def("program", &program, nb::arg("words"));
  m.def("options", &options, nb::arg("server"));
  m.attr("version") = skald::build_info().version;
}
