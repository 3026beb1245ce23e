// Qwen3.5, 3.6 and 3.8, dense, and the language model of those that take pictures.
#include "convert/qwen_hybrid_parts.h"

namespace skald {
namespace {

constexpr std::string_view kQwen35Classes[] = {"Qwen3_5ForCausalLM", "Qwen3_5ForConditionalGeneration"};

void describe_qwen35(const HfConfig& c, Hyperparameters& out) { qwen_hybrid_keys(c, out); }

}  // namespace

extern const HfFamily hf_family_qwen35;
const HfFamily hf_family_qwen35{.classes = kQwen35Classes,
                                .arch = "qwen35",
                                .describe = describe_qwen35,
                                .tensors = {kQwenHybrid, kOuter, kAttention, kTiledDeltaNet, kGatedFfn},
                                .defaults = R"({"head_dim": 256, "partial_rotary_factor": 0.25})",
                                .partial_rope = true,
                                .ahead = kQwenAhead};

}  // namespace skald
