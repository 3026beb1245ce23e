#include "convert/hf_family.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "io/printable.h"

namespace skald {

const HfFamily& find_hf_family(const HfConfig& config) {
  const std::vector<std::string> classes = config.strings("architectures");
  const HfFamily* found = nullptr;
  std::string known, wanted;
  for (const HfFamily* family : hf_families()) {
    for (const std::string_view name : family->classes) known += (known.empty() ? "" : ", ") + std::string(name);
    const bool named = std::ranges::find_first_of(classes, family->classes) != classes.end();
    const bool marked = !family->marker.empty() && config.has({family->marker});
    if (named && (marked || (family->marker.empty() && !found))) found = family;
  }
  if (found) return *found;
  for (const std::string& name : classes) wanted += (wanted.empty() ? "" : ", ") + skald::quoted(name);
  fail(Errc::kUnsupported, "config.json: architectures: {} cannot be converted; known: {}", wanted.empty() ? "none" : wanted,
       known);
}

}  // namespace skald
