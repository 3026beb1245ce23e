// LFM2 and LFM2.5, and the language model of those that take pictures.
#include "convert/lfm2_parts.h"

namespace skald {
namespace {

constexpr std::string_view kLfm2Classes[] = {"Lfm2ForCausalLM", "LFM2ForCausalLM", "Lfm2VlForConditionalGeneration"};

void describe_lfm2(const HfConfig& c, Hyperparameters& out) { lfm2_keys(c, out); }

}  // namespace

extern const HfFamily hf_family_lfm2;
const HfFamily hf_family_lfm2{.classes = kLfm2Classes,
                              .arch = "lfm2",
                              .describe = describe_lfm2,
                              .tensors = {kOuter, kLfm2, kAttention},
                              .defaults = R"({"rope_theta": 1e6, "tie_word_embeddings": true,
    "block_auto_adjust_ff_dim": true})"};

}  // namespace skald
