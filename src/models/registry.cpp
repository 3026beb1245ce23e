#include <string>

#include "base/error.h"
#include "models/family.h"

namespace skald {

const Family& find_family(std::string_view arch) {
  std::string known;
  for (const Family* f : families()) {
    if (f->arch == arch) return *f;
    known += (known.empty() ? "" : ", ") + std::string(f->arch);
  }
  fail(Errc::kUnsupported, "architecture '{}' is not supported; known: {}", arch, known);
}

}  // namespace skald
