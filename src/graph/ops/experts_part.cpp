#include "graph/ops/experts_part.h"

#include "base/error.h"
#include "graph/ops/activation.h"

namespace skald {

std::string ExpertsPart::describe() const { return fmt::format("from {} of {}", first, all); }

std::string ExpertGluPart::describe() const { return fmt::format("{} {}", Activate{function}.describe(), part.describe()); }

void want_part(const ExpertsPart& part, int64_t n) {
  if (part.first < 0 || part.first + n > part.all)
    fail(Errc::kBadInput, "experts {} to {} of {}", part.first, part.first + n - 1, part.all);
}

}  // namespace skald
