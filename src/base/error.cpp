#include "base/error.h"

namespace skald {

void assertion_failed(const char* expression, std::source_location at) {
  throw Error(Errc::kInternal, fmt::format("internal error: {} ({}:{})", expression, at.file_name(), at.line()), at);
}

}  // namespace skald
