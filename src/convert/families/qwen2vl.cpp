// Qwen2-VL and Qwen2.5-VL, the language model.
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kQwen2vlClasses[] = {"Qwen2VLForConditionalGeneration", "Qwen2_5_VLForConditionalGeneration"};

void describe_qwen2vl(const HfConfig& c, Hyperparameters& out) {
  require_no_window(c);
  decoder_keys(c, out);
  rope_keys(c, out, c.d_head());
  rope_section_keys(c, out);
}

}  // namespace

extern const HfFamily hf_family_qwen2vl;
const HfFamily hf_family_qwen2vl{.classes = kQwen2vlClasses,
                                 .arch = "qwen2vl",
                                 .describe = describe_qwen2vl,
                                 .tensors = {kOuter, kPreNorms, kAttention, kGatedFfn},
                                 .defaults = R"({"rope_theta": 1e6})"};

}  // namespace skald
