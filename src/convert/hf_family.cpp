#include "convert/hf_family.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "io/printable.h"

namespace skald {

const HfFamily& find_hf_family(std::span<const std::string> classes) {
  std::string known, wanted;
  for (const HfFamily* family : hf_families())
    for (const std::string_view name : family->classes) {
      if (std::ranges::find(classes, name) != classes.end()) return *family;
      known += (known.empty() ? "" : ", ") + std::string(name);
    }
  for (const std::string& name : classes) wanted += (wanted.empty() ? "" : ", ") + skald::quoted(name);
  fail(Errc::kUnsupported, "config.json: architectures: {} cannot be converted; known: {}", wanted.empty() ? "none" : wanted,
       known);
}

}  // namespace skald
