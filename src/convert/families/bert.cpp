// BERT, RoBERTa and XLM-R: embeddings, and rerankers with their head.
#include <algorithm>

#include "convert/encoder_keys.h"
#include "convert/requirements.h"
#include "convert/tables.h"

namespace skald {
namespace {

constexpr std::string_view kBertClasses[] = {
    "BertModel",       "BertForMaskedLM",       "BertForSequenceClassification",
    "RobertaModel",    "RobertaForMaskedLM",    "RobertaForSequenceClassification",
    "XLMRobertaModel", "XLMRobertaForMaskedLM", "XLMRobertaForSequenceClassification",
    "CamembertModel"};

// The last rows are those that positions have: RoBERTa's first ones stand for padding.
LazyTensor positions_bert(const StoredView& in, const MetaView& m) {
  const int64_t n = m.in_range("context_length", 1, int64_t{1} << 24);
  return LazyTensor::of(in.take(0, in.dim(0) - n, n));
}

constexpr TensorRule kBertTensors[] = {
    {"token_embd", "bert.embeddings.word_embeddings"},
    {"token_embd_norm", "bert.embeddings.LayerNorm"},
    {"position_embd.weight", "bert.embeddings.position_embeddings.weight", positions_bert},
    {"token_types", "bert.embeddings.token_type_embeddings"},
    {"blk.#.attn_q", "bert.encoder.layer.#.attention.self.query"},
    {"blk.#.attn_k", "bert.encoder.layer.#.attention.self.key"},
    {"blk.#.attn_v", "bert.encoder.layer.#.attention.self.value"},
    {"blk.#.attn_output", "bert.encoder.layer.#.attention.output.dense"},
    {"blk.#.attn_output_norm", "bert.encoder.layer.#.attention.output.LayerNorm"},
    {"blk.#.ffn_up", "bert.encoder.layer.#.intermediate.dense"},
    {"blk.#.ffn_down", "bert.encoder.layer.#.output.dense"},
    {"blk.#.layer_output_norm", "bert.encoder.layer.#.output.LayerNorm"},
    // A score: BERT's pooler and classifier, or RoBERTa's two of the latter.
    {"cls", "bert.pooler.dense"},
    {"cls", "classifier.dense"},
    {"cls.output", "classifier"},
    {"cls.output", "classifier.out_proj"},
};

constexpr std::string_view kBertBallast[] = {"cls.predictions.*", "cls.seq_relationship.*", "lm_head.*"};
constexpr std::string_view kAbsolute[] = {"absolute"};

bool has_class_with(const HfConfig& c, std::string_view part) {
  const std::vector<std::string> classes = c.strings("architectures");
  return std::ranges::any_of(classes, [&](const std::string& name) { return name.find(part) != name.npos; });
}

void describe_bert(const HfConfig& c, Hyperparameters& out) {
  require_word(c, "position_embedding_type", kAbsolute);
  require_flag(c, "is_decoder", false, false);
  const bool roberta = has_class_with(c, "oberta") || has_class_with(c, "Camembert");
  encoder_keys(c, out, kLayerNormEps);
  if (roberta) out.size("context_length", c.n_ctx() - c.i64("pad_token_id", 1) - 1);
  if (c.str("hidden_act", "gelu") != "gelu") activation_key(c, out, "gelu", "hidden_act");
  if (has_class_with(c, "SequenceClassification"))
    score_keys(c, out);
  else
    out.leave_out("*pooler.dense.*");
}

}  // namespace

extern const HfFamily hf_family_bert;
const HfFamily hf_family_bert{.classes = kBertClasses,
                              .arch = "bert",
                              .describe = describe_bert,
                              .tensors = {kBertTensors},
                              .ballast = kBertBallast,
                              .defaults = R"({"layer_norm_eps": 1e-12, "tie_word_embeddings": true})",
                              .activations = {},
                              .encoder = true};

}  // namespace skald
