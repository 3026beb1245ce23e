#include "convert/encoder_keys.h"

#include "base/error.h"

namespace skald {

void encoder_keys(const HfConfig& c, Hyperparameters& out, std::string_view eps_key) {
  out.size("context_length", c.n_ctx());
  out.size("embedding_length", c.d_model());
  out.size("block_count", c.n_layers());
  out.size("feed_forward_length", c.d_ff());
  out.size("attention.head_count", c.n_heads());
  out.number(eps_key, c.f32({"layer_norm_eps", "layer_norm_epsilon", "norm_eps"}));
  out.flag("attention.causal", false);
  if (c.has("type_vocab_size")) out.size_of_all("tokenizer.ggml.token_type_count", c.i64("type_vocab_size"));
}

void score_keys(const HfConfig& c, Hyperparameters& out) {
  std::vector<std::string> labels = c.names_by_number("id2label");
  if (labels.empty()) labels = {"LABEL_0", "LABEL_1"};  // as transformers has it
  if (labels.size() != 1)
    fail(Errc::kUnsupported, "config.json: id2label: {} labels are not supported, only one score", labels.size());
  out.texts("classifier.output_labels", std::move(labels));
}

}  // namespace skald
