#include "base/range.h"

#include <fmt/format.h>

#include <cmath>

namespace skald {

bool Range::has(double x) const { return std::isfinite(x) && (without_least ? x > least : x >= least) && x <= most; }

std::string Range::words(std::string_view what) const {
  if (std::isinf(most)) return fmt::format("{} {} {}", what, without_least ? "above" : "of at least", least);
  return without_least ? fmt::format("{} above {} and up to {}", what, least, most)
                       : fmt::format("{} from {} to {}", what, least, most);
}

}  // namespace skald
