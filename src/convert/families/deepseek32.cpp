// DeepSeek V3.2.
#include "convert/deepseek_parts.h"

namespace skald {
namespace {

constexpr std::string_view kClasses[] = {"DeepseekV32ForCausalLM"};

void describe(const HfConfig& c, Hyperparameters& out) {
  deepseek_keys(c, out);
  indexer_keys(c, out);
}

}  // namespace

extern const HfFamily hf_family_deepseek32;
const HfFamily hf_family_deepseek32{.classes = kClasses,
                                    .arch = "deepseek32",
                                    .describe = describe,
                                    .tensors = {kOuter, kPreNorms, kLatent, kIndexer, kGatedFfn, kExperts, kSharedExperts},
                                    .defaults = R"({"first_k_dense_replace": 3})"};

}  // namespace skald
