// Qwen3-VL, the language model.
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kQwen3vlClasses[] = {"Qwen3VLForConditionalGeneration"};

void describe_qwen3vl(const HfConfig& c, Hyperparameters& out) {
  require_no_window(c);
  decoder_keys(c, out);
  rope_keys(c, out, c.d_head());
  rope_section_keys(c, out);
}

}  // namespace

extern const HfFamily hf_family_qwen3vl;
const HfFamily hf_family_qwen3vl{.classes = kQwen3vlClasses,
                                 .arch = "qwen3vl",
                                 .describe = describe_qwen3vl,
                                 .tensors = {kOuter, kPreNorms, kAttention, kHeadNorms, kGatedFfn},
                                 .defaults = R"({"rope_theta": 5e5})"};

}  // namespace skald
