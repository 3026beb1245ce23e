#include "convert/hf_family.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "io/printable.h"

namespace skald {
namespace {

// Checks the assumptions of most families.
void check_assumptions(const HfConfig& config, const HfFamily& family) {
  if (!family.activations.empty())
    for (const char* key : {"hidden_act", "hidden_activation", "activation_function"})
      require_word(config, key, family.activations);
  if (!family.encoder) require_causal(config);
  if (!family.partial_rope) require_whole_rope(config);
}

}  // namespace

const HfFamily& find_hf_family(const HfConfig& config) {
  const std::vector<std::string> classes = config.strings("architectures");
  const HfFamily* found = nullptr;
  std::string known, wanted;
  for (const HfFamily* family : hf_families()) {
    for (const std::string_view name : family->classes) known += (known.empty() ? "" : ", ") + std::string(name);
    const bool named = std::ranges::find_first_of(classes, family->classes) != classes.end();
    if (!named) continue;
    if (family->is_it ? family->is_it(config) : !found) found = family;
  }
  if (found) return *found;
  for (const std::string& name : classes) wanted += (wanted.empty() ? "" : ", ") + skald::quoted(name);
  fail(Errc::kUnsupported, "config.json: architectures: {} cannot be converted; known: {}", wanted.empty() ? "none" : wanted,
       known);
}

void describe(const HfFamily& family, const HfConfig& config, Hyperparameters& out) {
  check_assumptions(config, family);
  family.describe(config, out);
}

}  // namespace skald
