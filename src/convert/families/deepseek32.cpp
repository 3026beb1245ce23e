// DeepSeek V3.2.
#include "convert/deepseek_parts.h"

namespace skald {
namespace {

constexpr std::string_view kDeepseek32Classes[] = {"DeepseekV32ForCausalLM"};

void describe_deepseek32(const HfConfig& c, Hyperparameters& out) {
  deepseek_keys(c, out);
  indexer_keys(c, out);
}

}  // namespace

extern const HfFamily hf_family_deepseek32;
const HfFamily hf_family_deepseek32{.classes = kDeepseek32Classes,
                                    .arch = "deepseek32",
                                    .describe = describe_deepseek32,
                                    .tensors = {kOuter, kPreNorms, kLatent, kIndexer, kGatedFfn, kExperts, kSharedExperts},
                                    .defaults = R"({"first_k_dense_replace": 3})",
                                    .ahead = {.tensors = kNextn}};

}  // namespace skald
