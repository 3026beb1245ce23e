// SmolLM3.
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kSmollm3Classes[] = {"SmolLM3ForCausalLM"};

void describe_smollm3(const HfConfig& c, Hyperparameters& out) {
  require_no_rope_every(c, 4);
  require_no_window(c);
  decoder_keys(c, out);
  out.size("vocab_size", c.i64("vocab_size"));
  rope_keys(c, out, c.d_head());
}

}  // namespace

extern const HfFamily hf_family_smollm3;
const HfFamily hf_family_smollm3{.classes = kSmollm3Classes,
                                 .arch = "smollm3",
                                 .describe = describe_smollm3,
                                 .tensors = {kOuter, kPreNorms, kInterleavedAttention, kGatedFfn},
                                 .defaults = R"({"tie_word_embeddings": true, "rope_theta": 2e6})"};

}  // namespace skald
