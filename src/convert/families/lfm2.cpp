// LFM2 and LFM2.5, and the language model of those that take pictures.
#include "convert/lfm2_parts.h"

namespace skald {
namespace {

constexpr std::string_view kClasses[] = {"Lfm2ForCausalLM", "LFM2ForCausalLM", "Lfm2VlForConditionalGeneration"};

void describe(const HfConfig& c, Hyperparameters& out) { lfm2_keys(c, out); }

}  // namespace

extern const HfFamily hf_family_lfm2;
const HfFamily hf_family_lfm2{.classes = kClasses,
                              .arch = "lfm2",
                              .describe = describe,
                              .tensors = {kOuter, kLfm2, kAttention},
                              .defaults = R"({"rope_theta": 1e6, "tie_word_embeddings": true,
    "block_auto_adjust_ff_dim": true})"};

}  // namespace skald
