// Apertus.
#include <fmt/format.h>

#include "base/error.h"
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kApertusClasses[] = {"ApertusForCausalLM"};

constexpr TensorRule kApertusTensors[] = {
    {"blk.#.attn_norm", "model.layers.#.attention_layernorm"},
    {"blk.#.ffn_norm", "model.layers.#.feedforward_layernorm"},
    {"blk.#.ffn_up", "model.layers.#.mlp.up_proj"},
    {"blk.#.ffn_down", "model.layers.#.mlp.down_proj"},
};

constexpr std::string_view kApertusBallast[] = {"*.mlp.act_fn.*"};
constexpr std::string_view kXielu[] = {"xielu"};

void describe_apertus(const HfConfig& c, Hyperparameters& out) {
  require_flag(c, "post_norm", false, false);
  require_flag(c, "qk_norm", true, true);
  decoder_keys(c, out);
  out.size("vocab_size", c.i64("vocab_size"));
  rope_keys(c, out, c.d_head());
}

// The activation's numbers are tensors of one element in each layer.
void measure(const Checkpoint& checkpoint, const HfConfig& c, Hyperparameters& out) {
  for (const char* what : {"alpha_p", "alpha_n", "beta", "eps"}) {
    std::vector<float> values;
    for (int64_t i = 0; i < c.n_layers(); ++i) {
      const std::string name = fmt::format("model.layers.{}.mlp.act_fn.{}", i, what);
      const StoredTensor* s = checkpoint.find(name);
      if (!s || StoredView(*s).elements() != 1) fail(Errc::kBadFile, "tensor {}: want one number", name);
      s->read(0, 1, 1, &values.emplace_back());
    }
    out.numbers_of_all(fmt::format("xielu.{}", what), std::move(values));
  }
}

}  // namespace

extern const HfFamily hf_family_apertus;
const HfFamily hf_family_apertus{.classes = kApertusClasses,
                                 .arch = "apertus",
                                 .describe = describe_apertus,
                                 .tensors = {kOuter, kAttention, kHeadNorms, kApertusTensors},
                                 .ballast = kApertusBallast,
                                 .activations = kXielu,
                                 .measure = measure};

}  // namespace skald
