// OPT and Galactica.
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kOptClasses[] = {"OPTForCausalLM"};

// The first two rows of the table are of no position.
LazyTensor positions_opt(const StoredView& in, const MetaView&) { return LazyTensor::of(in.take(0, 2, in.dim(0) - 2)); }

constexpr TensorRule kOptTensors[] = {
    {"token_embd", "model.decoder.embed_tokens"},
    {"position_embd", "model.decoder.embed_positions", positions_opt},
    {"project_in", "model.decoder.project_in"},
    {"project_out", "model.decoder.project_out"},
    {"output_norm", "model.decoder.final_layer_norm"},
    {"output", "lm_head"},
    {"blk.#.attn_norm", "model.decoder.layers.#.self_attn_layer_norm"},
    {"blk.#.attn_q", "model.decoder.layers.#.self_attn.q_proj"},
    {"blk.#.attn_k", "model.decoder.layers.#.self_attn.k_proj"},
    {"blk.#.attn_v", "model.decoder.layers.#.self_attn.v_proj"},
    {"blk.#.attn_output", "model.decoder.layers.#.self_attn.out_proj"},
    {"blk.#.ffn_norm", "model.decoder.layers.#.final_layer_norm"},
    {"blk.#.ffn_up", "model.decoder.layers.#.fc1"},
    {"blk.#.ffn_down", "model.decoder.layers.#.fc2"},
};

void describe_opt(const HfConfig& c, Hyperparameters& out) {
  require_flag(c, "_remove_final_layer_norm", false, false);
  require_flag(c, "layer_norm_elementwise_affine", true, true);
  decoder_keys(c, out, kLayerNormEps);
  activation_key(c, out, "relu");
  out.flag("do_layer_norm_before", c.flag("do_layer_norm_before", true));
}

}  // namespace

extern const HfFamily hf_family_opt;
const HfFamily hf_family_opt{.classes = kOptClasses,
                             .arch = "opt",
                             .describe = describe_opt,
                             .tensors = {kOptTensors},
                             .defaults = R"({"tie_word_embeddings": true, "layer_norm_eps": 1e-5})",
                             .activations = {}};

}  // namespace skald
