#include "cli/flags/static_shapes.h"

#include "cli/flags/table_flags.h"

namespace skald {

void StaticFlags::declare(Flags& flags) {
  flags.group("Fixed shapes");
  add_option(flags, "cache.static_shapes.context", context);
  add_option(flags, "cache.static_shapes.reserve", reserve);
  add_option(flags, "cache.static_shapes.bits", bits);
  add_option(flags, "cache.static_shapes.scales", scales);
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
