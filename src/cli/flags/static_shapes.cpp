#include "cli/flags/static_shapes.h"

namespace skald {

void StaticFlags::declare(Flags& flags) {
  flags.group("Fixed shapes");
  flags.add("--static", context,
            "run a graph of fixed shapes: a token sees S keys, its own among them; the text may go on past them", "S");
  flags.add("--kv-reserve", reserve, "with --static: memory of the window, as a multiple of it: 2.0 or 1.5");
  flags.add("--kv-bits", bits, "with --static: 16, or 8 with one scale for a layer's keys and one for its values");
  flags.add("--kv-scale", scales,
            "with --kv-bits 8: the scale of all, of keys and values, or of each layer's; by default from the prompt");
}

StaticParams StaticFlags::checked(const Flags& flags) const {
  if (!flags.given("--static")) {
    for (const char* flag : {"--kv-reserve", "--kv-bits", "--kv-scale"})
      if (flags.given(flag)) throw UsageError(std::string(flag) + " goes with --static");
    return {};
  }
  StaticParams params{.context = context, .reserve = static_cast<double>(reserve), .bits = bits, .scales = scales};
  check_usage([&] { params.check(); });
  return params;
}

}  // namespace skald
