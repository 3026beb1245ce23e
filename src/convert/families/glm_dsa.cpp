// GLM-5.
#include <algorithm>

#include "base/error.h"
#include "convert/deepseek_parts.h"
#include "convert/layer_keys.h"

namespace skald {
namespace {

constexpr std::string_view kGlmDsaClasses[] = {"GlmMoeDsaForCausalLM"};

// Layers that have an indexer; the others take the keys that the one before them picked. By words, by letters, or by a
// period.
std::vector<bool> indexed_layers(const HfConfig& c) {
  constexpr std::string_view kKinds[] = {"full", "shared"};
  const std::vector<std::string> kinds = layer_kinds(c, kKinds, {"indexer_types"});
  constexpr const char *kLetters = "index_topk_pattern", *kPeriod = "index_topk_freq", *kFirst = "index_skip_topk_offset";
  if (!kinds.empty()) {
    for (const char* key : {kLetters, kPeriod, kFirst}) c.pass_over(key);
    return layers_that_are(kinds, "full");
  }
  std::vector<bool> out;
  if (c.has(kLetters)) {
    for (const char letter : c.str(kLetters, "")) out.push_back(letter == 'F');
    if (std::ssize(out) != c.n_layers())
      fail(Errc::kBadFile, "config.json: {}: {} layers, file has {}", kLetters, c.n_layers(), out.size());
    return out;
  }
  const int64_t period = std::max<int64_t>(c.i64(kPeriod, 1), 1), first = c.i64(kFirst, 2);
  for (int64_t i = 0; i < c.n_layers(); ++i) out.push_back(std::max<int64_t>(i - first + 1, 0) % period == 0);
  return out;
}

void describe_glm_dsa(const HfConfig& c, Hyperparameters& out) {
  deepseek_keys(c, out);
  indexer_keys(c, out);
  out.flags("attention.indexer.types", indexed_layers(c));
}

}  // namespace

extern const HfFamily hf_family_glm_dsa;
const HfFamily hf_family_glm_dsa{.classes = kGlmDsaClasses,
                                 .arch = "glm-dsa",
                                 .describe = describe_glm_dsa,
                                 .tensors = {kOuter, kPreNorms, kLatent, kIndexer, kGatedFfn, kExperts, kSharedExperts},
                                 .defaults = R"({"first_k_dense_replace": 3})",
                                 .ahead = {.tensors = kNextn}};

}  // namespace skald
