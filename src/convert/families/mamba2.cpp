// Mamba 2.
#include "convert/mamba_keys.h"
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kMamba2Classes[] = {"Mamba2ForCausalLM"};

constexpr int64_t kContext = 1 << 20;  // any: there are no positions

void describe_mamba2(const HfConfig& c, Hyperparameters& out) {
  require_flag(c, "rms_norm", true, true);
  out.size("context_length", kContext);
  out.size("embedding_length", c.d_model());
  out.size("block_count", c.n_layers());
  out.size("vocab_size", c.i64("vocab_size"));
  out.size("feed_forward_length", 0);
  out.size("attention.head_count", 0);
  out.number(kRmsNormEps, c.f32("layer_norm_epsilon", 1e-5f));
  const Mamba2Sizes s = mamba2_keys(c, out, /*expanded=*/true);
  require_number(c, "head_dim", static_cast<float>(s.d_head));
}

}  // namespace

extern const HfFamily hf_family_mamba2;
const HfFamily hf_family_mamba2{
    .classes = kMamba2Classes, .arch = "mamba2", .describe = describe_mamba2, .tensors = {kMixer}};

}  // namespace skald
