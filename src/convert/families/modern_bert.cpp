// ModernBERT.
#include <algorithm>

#include "convert/encoder_keys.h"
#include "convert/layer_keys.h"
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kModernBertClasses[] = {"ModernBertModel", "ModernBertForMaskedLM",
                                                   "ModernBertForSequenceClassification"};

constexpr TensorRule kModernBertTensors[] = {
    {"token_embd", "model.embeddings.tok_embeddings"},
    {"token_embd_norm", "model.embeddings.norm"},
    {"output_norm", "model.final_norm"},
    {"blk.#.attn_norm", "model.layers.#.attn_norm"},
    {"blk.#.attn_qkv", "model.layers.#.attn.Wqkv"},
    {"blk.#.attn_output", "model.layers.#.attn.Wo"},
    {"blk.#.ffn_norm", "model.layers.#.mlp_norm"},
    {"blk.#.ffn_up", "model.layers.#.mlp.Wi"},
    {"blk.#.ffn_down", "model.layers.#.mlp.Wo"},
    {"cls", "head.dense"},
    {"cls.norm", "head.norm"},
    {"cls.output", "classifier"},
};

constexpr std::string_view kModernBertBallast[] = {"decoder.*"};
constexpr std::string_view kModernBertGates[] = {"gelu", "silu"};
constexpr std::string_view kPools[] = {"cls", "mean"};

// The first of each three layers sees all, or as many as the configuration says, or those that it lists.
void window_layer_keys(const HfConfig& c, Hyperparameters& out) {
  const int64_t period = std::max<int64_t>(c.i64("global_attn_every_n_layers", 3), 1);
  std::vector<bool> usual;
  for (int64_t i = 0; i < c.n_layers(); ++i) usual.push_back(i % period != 0);
  const std::vector<bool> layers = c.has("layer_types") ? window_layers(c, period) : usual;
  out.size("attention.sliding_window", c.i64("local_attention", 128));
  if (layers == usual)
    out.size("attention.sliding_window_pattern", period);
  else
    out.flags("attention.sliding_window_pattern", layers);
}

// Scaling outside of rope_parameters is of both kinds of layers, of which those with a window have none here.
void bases(const HfConfig& c, Hyperparameters& out) {
  constexpr std::string_view kUnscaled[] = {"default"};
  if (const auto scaling = c.object("rope_scaling")) require_word(*scaling, {"rope_type", "type"}, kUnscaled);
  rope_keys(c, out, c.d_head(), {.layer_kind = "full_attention"});
  local_rope_keys(c, out, c.d_head());
  if (c.has("global_rope_theta")) out.number("rope.freq_base", c.f32("global_rope_theta"));
  if (c.has("local_rope_theta")) out.number("rope.freq_base_swa", c.f32("local_rope_theta"));
}

void describe_modern_bert(const HfConfig& c, Hyperparameters& out) {
  require_word(c, "hidden_activation", kModernBertGates);
  require_word(c, "classifier_pooling", kPools);
  encoder_keys(c, out, kLayerNormEps);
  out.size("vocab_size", c.i64("vocab_size"));
  bases(c, out);
  window_layer_keys(c, out);
  out.text("hidden_activation", c.str("hidden_activation", "gelu"));
  const std::vector<std::string> classes = c.strings("architectures");
  if (std::ranges::find(classes, kModernBertClasses[2]) == classes.end())
    out.leave_out("head.*");
  else
    score_keys(c, out);
  if (c.has("classifier_pooling")) out.size("classifier.pooling_type", c.str("classifier_pooling", "cls") == "mean" ? 1 : 2);
  c.pass_over("decoder_bias");  // of the head that predicts words
}

constexpr std::string_view kModernBertDefaults = R"({"norm_eps": 1e-5, "tie_word_embeddings": true, "rope_parameters": {
    "full_attention": {"rope_type": "default", "rope_theta": 1.6e5},
    "sliding_attention": {"rope_type": "default", "rope_theta": 1e4}}})";

}  // namespace

extern const HfFamily hf_family_modern_bert;
const HfFamily hf_family_modern_bert{.classes = kModernBertClasses,
                                     .arch = "modern-bert",
                                     .describe = describe_modern_bert,
                                     .tensors = {kModernBertTensors},
                                     .ballast = kModernBertBallast,
                                     .defaults = kModernBertDefaults,
                                     .activations = {},
                                     .encoder = true};

}  // namespace skald
