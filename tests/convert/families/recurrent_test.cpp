// Decoders whose layers keep a state: a golden model's tensors, brought into the form of a checkpoint, convert back.
#include "tests/convert/family_case.h"

namespace skald::recurrent_families_test {
namespace {

using test::attention;
using test::Back;
using test::BackTensor;
using test::expect_conversion;
using test::gated_ffn;

void mamba(Back& b, const std::string& at) {
  b.add("blk.#.ssm_in", at + ".in_proj").add("blk.#.ssm_out", at + ".out_proj");
  b.add_named("blk.#.ssm_conv1d.weight", at + ".conv1d.weight", test::with_middle);
  b.add_named("blk.#.ssm_conv1d.bias", at + ".conv1d.bias");
  b.add_named("blk.#.ssm_dt.bias", at + ".dt_bias");
  b.add_named("blk.#.ssm_a", at + ".A_log", test::logarithms);
  b.add_named("blk.#.ssm_d", at + ".D", test::flat);
  b.add_named("blk.#.ssm_norm.weight", at + ".norm.weight", test::flat);
}

void lfm2(Back& b) {
  const std::string layer = "model.layers.#.";
  b.add("token_embd", "model.embed_tokens").add("token_embd_norm", "model.embedding_norm");
  for (const auto& [from, to] : {std::pair{"attn_norm", "operator_norm"},
                                 {"ffn_norm", "ffn_norm"},
                                 {"attn_q", "self_attn.q_proj"},
                                 {"attn_k", "self_attn.k_proj"},
                                 {"attn_v", "self_attn.v_proj"},
                                 {"attn_output", "self_attn.out_proj"},
                                 {"attn_q_norm", "self_attn.q_layernorm"},
                                 {"attn_k_norm", "self_attn.k_layernorm"},
                                 {"shortconv.in_proj", "conv.in_proj"},
                                 {"shortconv.out_proj", "conv.out_proj"},
                                 {"ffn_gate", "feed_forward.w1"},
                                 {"ffn_down", "feed_forward.w2"},
                                 {"ffn_up", "feed_forward.w3"},
                                 {"ffn_gate_inp", "feed_forward.gate"},
                                 {"ffn_gate_exps", "feed_forward.experts.@.w1"},
                                 {"ffn_down_exps", "feed_forward.experts.@.w2"},
                                 {"ffn_up_exps", "feed_forward.experts.@.w3"}})
    b.add(std::string("blk.#.") + from, layer + to);
  b.add("blk.#.shortconv.conv", layer + "conv.conv", test::with_middle);
  b.add_named("blk.#.exp_probs_b.bias", layer + "feed_forward.expert_bias");
}

TEST(HfFamilyLfm2, LayersByTheirKindsOrNumbers) {
  for (const char* layers : {R"("layer_types": ["conv", "conv", "full_attention", "conv"])", R"("full_attn_idxs": [2])"})
    expect_conversion({"lfm2",
                       (R"({"architectures": ["Lfm2ForCausalLM"], "conv_L_cache": 3, "block_auto_adjust_ff_dim": false, )" +
                        std::string(layers) + "}")
                           .c_str(),
                       lfm2});
}

TEST(HfFamilyLfm2, WidthsAreCutAndRoundedWhereItSaysSo) {
  // two thirds of 48, and a multiple of 32
  expect_conversion({"lfm2", R"({"architectures": ["Lfm2ForCausalLM"], "intermediate_size": 48, "block_multiple_of": 32,
      "layer_types": ["conv", "conv", "full_attention", "conv"]})",
                     lfm2});
}

TEST(HfFamilyLfm2, WithExperts) {
  expect_conversion({"lfm2moe", R"({"architectures": ["Lfm2MoeForCausalLM"], "conv_L_cache": 3, "num_experts": 4,
      "num_experts_per_tok": 2, "moe_intermediate_size": 16, "num_dense_layers": 1, "use_expert_bias": true,
      "layer_types": ["conv", "conv", "full_attention", "conv"]})",
                     lfm2});
}

// ---- gated delta nets

constexpr const char* kDeltaNet = R"("linear_conv_kernel_dim": 4, "linear_key_head_dim": 16, "linear_value_head_dim": 16,
    "linear_num_key_heads": 2, "linear_num_value_heads": 4,
    "layer_types": ["linear_attention", "linear_attention", "linear_attention", "full_attention"], )";

void qwen_attention(Back& b) {
  const std::string layer = "model.layers.#.";
  b.add("token_embd", "model.embed_tokens").add("output_norm", "model.norm", test::minus_one);
  b.add("blk.#.attn_norm", layer + "input_layernorm", test::minus_one);
  b.add("blk.#.post_attention_norm", layer + "post_attention_layernorm", test::minus_one);
  for (const std::string what : {"q", "k", "v"}) b.add("blk.#.attn_" + what, layer + "self_attn." + what + "_proj");
  b.add("blk.#.attn_output", layer + "self_attn.o_proj").add("blk.#.ssm_norm", layer + "linear_attn.norm");
  for (const std::string what : {"q", "k"})
    b.add("blk.#.attn_" + what + "_norm", layer + "self_attn." + what + "_norm", test::minus_one);
}

void qwen_experts(Back& b) {
  b.add("blk.#.ffn_gate_inp", "model.layers.#.mlp.gate");
  b.add("blk.#.ffn_gate_inp_shexp", "model.layers.#.mlp.shared_expert_gate");
  for (const std::string what : {"gate", "up", "down"}) {
    b.add("blk.#.ffn_" + what + "_exps", "model.layers.#.mlp.experts.@." + what + "_proj");
    b.add("blk.#.ffn_" + what + "_shexp", "model.layers.#.mlp.shared_expert." + what + "_proj");
  }
}

void qwen35(Back& b) {
  const int64_t keys = b.size("ssm.group_count"), values = b.size("ssm.time_step_rank"), d = 16;
  const auto rows = [=](int64_t each, int64_t first = 0) { return test::by_key_heads(keys, values, each, first); };
  const std::string net = "model.layers.#.linear_attn.";
  qwen_attention(b);
  gated_ffn(b);
  b.add("blk.#.attn_qkv", net + "in_proj_qkv", rows(d, 2 * keys * d));
  b.add("blk.#.ssm_conv1d", net + "conv1d",
        [=](const BackTensor& t) { return test::with_middle(rows(d, 2 * keys * d)(t)); });
  b.add("blk.#.attn_gate", net + "in_proj_z", rows(d));
  b.add("blk.#.ssm_alpha", net + "in_proj_a", rows(1)).add("blk.#.ssm_beta", net + "in_proj_b", rows(1));
  b.add_named("blk.#.ssm_a", net + "A_log", [=](const BackTensor& t) { return rows(1)(test::logarithms(t)); });
  b.add_named("blk.#.ssm_dt.bias", net + "dt_bias", rows(1));
  b.add("blk.#.ssm_out", net + "out_proj",
        [=](const BackTensor& t) { return test::transposed(rows(d)(test::transposed(t))); });
}

TEST(HfFamilyQwen35, ValueHeadsTakeTurns) {
  expect_conversion({"qwen35",
                     (R"({"architectures": ["Qwen3_5ForCausalLM"], )" + std::string(kDeltaNet) + R"(
      "rope_theta": null, "rope_parameters": {"rope_type": "default", "rope_theta": 1e7, "partial_rotary_factor": 0.5,
                                              "mrope_section": [2, 1, 1], "mrope_interleaved": true}})")
                         .c_str(),
                     qwen35});
}

TEST(HfFamilyQwen35, WithExperts) {
  expect_conversion({"qwen35moe",
                     (R"({"architectures": ["Qwen3_5MoeForCausalLM"], )" + std::string(kDeltaNet) + R"(
      "intermediate_size": null, "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16,
      "shared_expert_intermediate_size": 16, "rope_theta": null,
      "rope_parameters": {"rope_type": "default", "rope_theta": 1e7, "partial_rotary_factor": 0.5,
                          "mrope_section": [2, 1, 1]}})")
                         .c_str(),
                     [](Back& b) {
                       qwen35(b);
                       qwen_experts(b);
                     }});
}

constexpr const char* kWithMtp = R"({"architectures": ["Qwen3_5ForConditionalGeneration"], "mtp_num_hidden_layers": 1,
      "linear_conv_kernel_dim": 4, "linear_key_head_dim": 16, "linear_value_head_dim": 16, "linear_num_key_heads": 2,
      "linear_num_value_heads": 2, "full_attention_interval": 4, "rope_theta": null,
      "rope_parameters": {"rope_type": "default", "rope_theta": 1e6, "partial_rotary_factor": 0.5,
                          "mrope_section": [2, 1, 1]}})";

// The one of the file, by these names.
void qwen_mtp(Back& b, const std::string& prefix) {
  for (const auto& [from, to] :
       {std::pair{"enorm", "pre_fc_norm_embedding"}, {"hnorm", "pre_fc_norm_hidden"}, {"shared_head_norm", "norm"}})
    b.add(std::string("blk.4.nextn.") + from, prefix + to, test::minus_one);
  b.add("blk.4.nextn.eh_proj", prefix + "fc");
  const std::string layer = prefix + "layers.0.";
  b.add("blk.4.attn_norm", layer + "input_layernorm", test::minus_one);
  b.add("blk.4.post_attention_norm", layer + "post_attention_layernorm", test::minus_one);
  for (const std::string what : {"q", "k"})
    b.add("blk.4.attn_" + what + "_norm", layer + "self_attn." + what + "_norm", test::minus_one);
  for (const std::string what : {"q", "k", "v"}) b.add("blk.4.attn_" + what, layer + "self_attn." + what + "_proj");
  b.add("blk.4.attn_output", layer + "self_attn.o_proj");
  for (const std::string what : {"gate", "up", "down"}) b.add("blk.4.ffn_" + what, layer + "mlp." + what + "_proj");
}

template <bool kInModel>
void qwen35_with_mtp(Back& b) {
  b.only_layers_below(4);
  qwen35(b);
  qwen_mtp(b, kInModel ? "model.mtp." : "mtp.");
  b.add("blk.0.ffn_up", "model.visual.blocks.0.mlp.up_proj");
}

TEST(HfFamilyQwen35, TheBlockThatPredictsFurtherTokensIsKept) {
  for (void (*back)(Back&) : {qwen35_with_mtp<false>, qwen35_with_mtp<true>})
    expect_conversion({.golden = "qwen35_mtp", .config = kWithMtp, .back = back, .computed = true, .ahead = true});
}

TEST(HfFamilyQwen35, ABlockThatPredictsFurtherTokensAndIsNotThereIsNoPartOfTheFile) {
  expect_conversion({"qwen35_mtp",
                     kWithMtp,
                     [](Back& b) {
                       b.only_layers_below(4);
                       qwen35(b);
                       b.add("blk.0.attn_norm", "mtp.norm");
                     },
                     {"block_count", "nextn_predict_layers", "attention.recurrent_layers"}});
}

// Of each key head: its query, its key, its value heads, their gates.
std::pair<size_t, int64_t> in_parts(int64_t i) {
  constexpr int64_t d = 16, cols = 32, rows = 2 * d + 2 * d + 2 * d;
  const int64_t head = i / cols / rows, row = i / cols % rows, col = i % cols;
  const auto at = [&](int64_t first, int64_t each, int64_t r) { return (first + head * each + r) * cols + col; };
  if (row < d) return {0, at(0, d, row)};
  if (row < 2 * d) return {0, at(2 * d, d, row - d)};
  if (row < 4 * d) return {0, at(4 * d, 2 * d, row - 2 * d)};
  return {1, at(0, 2 * d, row - 4 * d)};
}

TEST(HfFamilyQwen3Next, QueriesKeysValuesAndGatesAreApart) {
  expect_conversion(
      {"qwen3next",
       (R"({"architectures": ["Qwen3NextForCausalLM"], )" + std::string(kDeltaNet) + R"(
      "num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16, "shared_expert_intermediate_size": 16,
      "norm_topk_prob": true, "partial_rotary_factor": 0.5})")
           .c_str(),
       [](Back& b) {
         const std::string net = "model.layers.#.linear_attn.";
         qwen_attention(b);
         qwen_experts(b);
         b.join({"blk.#.attn_qkv.weight", "blk.#.attn_gate.weight"}, net + "in_proj_qkvz.weight", {192, 32}, in_parts);
         b.add("blk.#.ssm_ba", net + "in_proj_ba").add("blk.#.ssm_out", net + "out_proj");
         b.add("blk.#.ssm_conv1d", net + "conv1d", test::with_middle);
         b.add_named("blk.#.ssm_a", net + "A_log", test::logarithms);
         b.add_named("blk.#.ssm_dt.bias", net + "dt_bias");
       }});
}

// ---- Mamba 2

constexpr const char* kGraniteFactors = R"("embedding_multiplier": 1.5, "logits_scaling": 1.5, "attention_multiplier": 0.3)";

std::string granite_config(const char* more) {
  return R"({"architectures": ["GraniteMoeHybridForCausalLM"], "mamba_n_heads": 4, "mamba_d_head": 16, "mamba_n_groups": 1,
      "time_step_limit": [0.0, {"__float__": "Infinity"}], )" +
         std::string(kGraniteFactors) + ", " + more + "}";
}

void granite(Back& b) {
  attention(b, test::halves_of_heads(b.size("embedding_length") / b.size("attention.head_count")));
  mamba(b, "model.layers.#.mamba");
  b.stack("blk.#.ffn_gate.weight", "blk.#.ffn_up.weight", "model.layers.#.shared_mlp.input_linear.weight");
  b.add("blk.#.ffn_down", "model.layers.#.shared_mlp.output_linear");
  b.stack("blk.#.ffn_gate_shexp.weight", "blk.#.ffn_up_shexp.weight", "model.layers.#.shared_mlp.input_linear.weight");
  b.add("blk.#.ffn_down_shexp", "model.layers.#.shared_mlp.output_linear");
  b.add("blk.#.ffn_gate_inp", "model.layers.#.block_sparse_moe.router.layer");
  b.stack("blk.#.ffn_gate_exps.weight", "blk.#.ffn_up_exps.weight", "model.layers.#.block_sparse_moe.input_linear.weight");
  b.add("blk.#.ffn_down_exps", "model.layers.#.block_sparse_moe.output_linear");
}

const std::vector<std::string> kNoExperts = {"expert_count", "expert_used_count", "expert_shared_feed_forward_length"};

TEST(HfFamilyGranite, LayersWithMamba) {
  expect_conversion({"granitehybrid",
                     granite_config(R"("layer_types": ["mamba", "mamba", "attention", "mamba"],
      "mamba_d_state": 16, "residual_multiplier": 0.7, "position_embedding_type": "nope", "num_local_experts": 0,
      "num_experts_per_tok": 0, "shared_intermediate_size": 32)")
                         .c_str(),
                     granite, kNoExperts});
}

TEST(HfFamilyGranite, LayersWithMambaAndExperts) {
  expect_conversion({"granitehybrid_moe",
                     granite_config(R"("layer_types": ["mamba", "attention", "mamba"],
      "mamba_d_state": 32, "residual_multiplier": 0.8, "position_embedding_type": "nope", "num_local_experts": 4,
      "num_experts_per_tok": 2, "shared_intermediate_size": 32)")
                         .c_str(),
                     granite});
}

TEST(HfFamilyGranite, TheSameClassWithoutMambaIsGranite) {
  std::vector<std::string> other = kNoExperts;
  for (const char* key : {"ssm.conv_kernel", "ssm.state_size", "ssm.group_count", "ssm.inner_size", "ssm.time_step_rank",
                          "rope.scaling.finetuned"})
    other.emplace_back(key);
  expect_conversion({"granite4",
                     granite_config(R"("layer_types": ["attention", "attention", "attention"],
      "mamba_d_state": 16, "residual_multiplier": 0.7, "position_embedding_type": "rope", "num_local_experts": 0,
      "num_experts_per_tok": 0, "shared_intermediate_size": 32)")
                         .c_str(),
                     granite, other});
}

TEST(HfFamilyGranite, WithExperts) {
  expect_conversion({"granitemoe",
                     (R"({"architectures": ["GraniteMoeForCausalLM"], "num_local_experts": 5,
      "num_experts_per_tok": 2, "residual_multiplier": 0.7, )" +
                      std::string(kGraniteFactors) + "}")
                         .c_str(),
                     granite});
}

TEST(HfFamilyGranite, WithWindows) {
  expect_conversion({"graniteswa", R"({"architectures": ["GraniteSWAForCausalLM"], "sliding_window": 64,
      "embedding_multiplier": 2.0, "logits_scaling": 2.0, "residual_multiplier": 0.8, "attention_multiplier": 0.3,
      "layer_rope_theta": [1e4, 1e4, 1e4, 1e4]})",
                     [](Back& b) {
                       attention(b, test::halves_of_heads(8));
                       gated_ffn(b);
                       b.add_named("blk.#.attn_sinks.weight", "model.layers.#.self_attn.sinks");
                     }});
}

void nemotron(Back& b) {
  mamba(b, "backbone.layers.#.mixer");
  const std::string mixer = "backbone.layers.#.mixer.";
  b.add("token_embd", "backbone.embeddings").add("output_norm", "backbone.norm_f").add("output", "lm_head");
  b.add("blk.#.attn_norm", "backbone.layers.#.norm");
  for (const auto& [from, to] : {std::pair{"attn_q", "q_proj"},
                                 {"attn_k", "k_proj"},
                                 {"attn_v", "v_proj"},
                                 {"attn_output", "o_proj"},
                                 {"ffn_up", "up_proj"},
                                 {"ffn_down", "down_proj"},
                                 {"ffn_gate_inp", "gate"},
                                 {"ffn_up_exps", "experts.@.up_proj"},
                                 {"ffn_down_exps", "experts.@.down_proj"},
                                 {"ffn_up_shexp", "shared_experts.up_proj"},
                                 {"ffn_down_shexp", "shared_experts.down_proj"},
                                 {"ffn_latent_down", "fc1_latent_proj"},
                                 {"ffn_latent_up", "fc2_latent_proj"}})
    b.add(std::string("blk.#.") + from, mixer + to);
  b.add_named("blk.#.exp_probs_b.bias", mixer + "gate.e_score_correction_bias");
}

const std::vector<std::string> kOfRope = {"rope.dimension_count"};  // of which there is none

TEST(HfFamilyNemotronH, BlocksByLetters) {
  expect_conversion({"nemotron_h", R"({"architectures": ["NemotronHForCausalLM"], "hybrid_override_pattern": "M-M*-M",
      "mamba_num_heads": 4, "mamba_head_dim": 16, "n_groups": 2, "ssm_state_size": 16, "mlp_hidden_act": "relu2"})",
                     nemotron, kOfRope});
}

// As transformers 5 writes it, also where the model has layers of prediction.
TEST(HfFamilyNemotronH, HasAsManyLayersAsItsList) {
  for (const char* said : {"null", "52"})
    expect_conversion({"nemotron_h",
                       fmt::format(R"({{"architectures": ["NemotronHForCausalLM"], "num_hidden_layers": {},
      "layers_block_type": ["linear_attention", "mlp", "linear_attention", "full_attention", "mlp", "linear_attention"],
      "num_nextn_predict_layers": 1, "mtp_layers_block_type": ["full_attention", "moe"], "mamba_num_heads": 4,
      "mamba_head_dim": 16, "n_groups": 2, "ssm_state_size": 16, "mlp_hidden_act": "relu2"}})",
                                   said)
                           .c_str(),
                       nemotron, kOfRope});
}

TEST(HfFamilyNemotronH, ExpertsInANarrowerSpace) {
  expect_conversion({"nemotron_h_latent", R"({"architectures": ["NemotronHForCausalLM"],
      "layers_block_type": ["mamba", "moe", "attention", "moe"], "mamba_num_heads": 4, "mamba_head_dim": 16, "n_groups": 2,
      "ssm_state_size": 16, "n_routed_experts": 5, "num_experts_per_tok": 2, "n_shared_experts": 1, "n_group": 1,
      "topk_group": 1, "moe_intermediate_size": 32, "moe_shared_expert_intermediate_size": 32, "moe_latent_size": 16,
      "routed_scaling_factor": 2.5, "norm_topk_prob": true})",
                     nemotron, kOfRope});
}

TEST(HfFamilyNemotronH, ALayerThatPredictsFurtherTokensIsOneOfTwo) {
  const std::string one = "mtp.layers.0.", two = "mtp.layers.1.";
  test::expect_layer_ahead({"nemotron_h_moe", R"({"architectures": ["NemotronHForCausalLM"],
      "layers_block_type": ["mamba", "moe", "mamba", "attention", "moe"], "mamba_num_heads": 4, "mamba_head_dim": 16,
      "n_groups": 2, "ssm_state_size": 16, "n_routed_experts": 5, "num_experts_per_tok": 2, "n_shared_experts": 1,
      "n_group": 1, "topk_group": 1, "moe_intermediate_size": 16, "moe_shared_expert_intermediate_size": 32,
      "routed_scaling_factor": 2.5, "norm_topk_prob": true, "num_nextn_predict_layers": 1})",
                            nemotron, kOfRope},
                           one + "eh_proj.weight",
                           {{"blk.3.attn_norm", one + "enorm", "nextn.enorm"},
                            {"blk.4.attn_norm", one + "hnorm", "nextn.hnorm"},
                            {"blk.3.attn_norm", one + "norm", "attn_norm"},
                            {"blk.3.attn_q", one + "mixer.q_proj", "attn_q"},
                            {"blk.3.attn_k", one + "mixer.k_proj", "attn_k"},
                            {"blk.3.attn_v", one + "mixer.v_proj", "attn_v"},
                            {"blk.3.attn_output", one + "mixer.o_proj", "attn_output"},
                            {"blk.4.attn_norm", two + "norm", "post_attention_norm"},
                            {"blk.0.attn_norm", two + "final_layernorm", "nextn.shared_head_norm"},
                            {"blk.4.ffn_gate_inp", two + "mixer.gate", "ffn_gate_inp"},
                            {"blk.4.ffn_up_exps", two + "mixer.experts.@.up_proj", "ffn_up_exps"},
                            {"blk.4.ffn_down_exps", two + "mixer.experts.@.down_proj", "ffn_down_exps"},
                            {"blk.4.ffn_up_shexp", two + "mixer.shared_experts.up_proj", "ffn_up_shexp"},
                            {"blk.4.ffn_down_shexp", two + "mixer.shared_experts.down_proj", "ffn_down_shexp"}});
}

TEST(HfFamilyMamba2, NothingButMamba) {
  expect_conversion({"mamba2", R"({"architectures": ["Mamba2ForCausalLM"], "num_heads": 4, "head_dim": 16, "expand": 2,
      "n_groups": 1, "state_size": 16, "layer_norm_epsilon": 1e-5, "num_attention_heads": null, "intermediate_size": null})",
                     nemotron});
}

TEST(HfFamilyFalconH1, MultipliersAreInItsWeights) {
  expect_conversion({"falcon_h1", R"({"architectures": ["FalconH1ForCausalLM"], "mamba_d_ssm": 64, "mamba_n_heads": 4,
      "mamba_d_head": 16, "mamba_n_groups": 1, "mamba_d_state": 32, "mamba_rms_norm": false, "key_multiplier": 4.0,
      "attention_in_multiplier": 0.5, "ssm_out_multiplier": 2.0, "ssm_in_multiplier": 0.25,
      "ssm_multipliers": [8, 8, 8, 8, 8], "mlp_multipliers": [2.0, 1.0], "tie_word_embeddings": false})",
                     [](Back& b) {
                       constexpr auto halved = [](float x) { return x / 2; };
                       constexpr auto doubled = [](float x) { return x * 2; };
                       for (const char* what : {"ffn_gate", "ssm_in", "ssm_out", "attn_k"})
                         b.change(std::string("blk.#.") + what + ".weight", halved);
                       for (const char* what : {"attn_q", "attn_v"})
                         b.change(std::string("blk.#.") + what + ".weight", doubled);
                       attention(b);
                       mamba(b, "model.layers.#.mamba");
                       const std::string layer = "model.layers.#.";
                       b.add("output_norm", "model.final_layernorm");
                       b.add_named("blk.#.ffn_norm", layer + "pre_ff_layernorm.weight");
                       for (const std::string what : {"gate", "up", "down"})
                         b.add("blk.#.ffn_" + what, layer + "feed_forward." + what + "_proj");
                     }});
}

}  // namespace
}  // namespace skald::recurrent_families_test
