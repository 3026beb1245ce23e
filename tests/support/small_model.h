// SmallModel: hyperparameters and made-up tensors of a model of a few layers, for tests that need a whole graph.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/meta.h"
#include "graph/net.h"
#include "models/family.h"

namespace skald::test {

/// Sizes are odd on purpose: rows do not divide evenly over threads, d_v is not d_k, heads are grouped.
struct SmallModel {
  std::string arch = "llama";
  const Format* format = &format_f32;  // of the matrices
  bool tied = false;
  int64_t window = 0;
  int64_t n_layers = 2, d_model = 96, d_ff = 160, n_heads = 4, n_kv_heads = 2, d_k = 32, d_v = 64, n_vocab = 101,
          n_positions = 1024;

  /// With rows of whole blocks.
  static SmallModel of(const Format& format) {
    SmallModel m{.format = &format};
    if (format.block > 32) m.d_model = m.d_ff = 256;
    return m;
  }

  Meta meta() const {
    Meta m;
    m.set("general.architecture", arch);
    const auto set = [&](const char* key, auto value) { m.set(arch + "." + key, value); };
    set("block_count", static_cast<uint32_t>(n_layers));
    set("context_length", static_cast<uint32_t>(n_positions));
    set("embedding_length", static_cast<uint32_t>(d_model));
    set("feed_forward_length", static_cast<uint32_t>(d_ff));
    set("attention.head_count", static_cast<uint32_t>(n_heads));
    constexpr std::array kLatent = {"deepseek2", "deepseek32", "glm-dsa", "kimi-linear"};  // which have no groups
    const bool latent = std::ranges::count(kLatent, arch) > 0;
    set("attention.head_count_kv", static_cast<uint32_t>(latent ? n_heads : n_kv_heads));
    if (arch == "kimi-linear") set("attention.head_count_kv", each_second(n_heads));
    set("kda.head_dim", uint32_t{16});
    set("altup.num_inputs", uint32_t{3});
    set("embedding_length_per_layer_input", uint32_t{8});
    set("attention.q_lora_rank", uint32_t{24});
    set("attention.indexer.head_count", uint32_t{2});
    set("attention.indexer.key_length", uint32_t{16});
    set("attention.indexer.top_k", uint32_t{20});
    constexpr std::array kHybrid = {"granitehybrid", "lfm2", "lfm2moe", "nemotron_h", "nemotron_h_moe"};
    if (std::ranges::count(kHybrid, arch)) set("attention.head_count_kv", each_second(n_kv_heads));
    if (arch.starts_with("nemotron_h")) set("feed_forward_length", each_third(d_ff));
    set("shortconv.l_cache", uint32_t{3});
    set("ssm.conv_kernel", uint32_t{4});
    set("ssm.inner_size", uint32_t{64});
    set("ssm.state_size", uint32_t{16});
    set("ssm.group_count", uint32_t{2});
    set("ssm.time_step_rank", uint32_t{4});
    set("attention.key_length", static_cast<uint32_t>(d_k));
    // Qwen's gates are as wide as queries; Gemma's values are made of keys where the file has no weights for them.
    const bool one_width = arch.starts_with("qwen35") || arch == "qwen3next" || arch == "gemma3n" || arch == "gemma4";
    set("attention.value_length", static_cast<uint32_t>(one_width ? d_k : d_v));
    for (const char* norm : {"attention.layer_norm_rms_epsilon", "attention.layer_norm_epsilon"}) set(norm, 1e-5f);
    set("attention.prefix_end_token_id", uint32_t{3});
    set("attention.relative_buckets_count", uint32_t{32});
    constexpr std::array kWindowed = {"afmoe",   "cohere2", "cohere2moe", "exaone-moe",  "gemma3", "gemma-embedding",
                                      "gemma3n", "gemma4",  "gpt-oss",    "granite_swa", "mellum", "muse-glimmer"};
    if (window || std::ranges::count(kWindowed, arch)) set("attention.sliding_window", static_cast<uint32_t>(window));
    for (const char* number : {"alpha_p", "alpha_n", "beta", "eps"}) m.set(std::string("xielu.") + number, 0.5f);
    if (arch == "llama") return m;  // which has experts where the file says so
    set("logit_scale", 1.0f);
    set("expert_count", uint32_t{4});
    set("expert_used_count", arch == "llama4" ? uint32_t{1} : uint32_t{2});
    set("interleave_moe_layer_step", uint32_t{2});
    set("expert_shared_count", uint32_t{1});
    set("attention.kv_lora_rank", uint32_t{48});
    if (latent) set("rope.dimension_count", uint32_t{8});
    return m;
  }

  /// Of layers 1, 3, ..., the others have 0; of layers 2, 5, ...
  MetaArray each_second(int64_t n) const { return each(2, n); }
  MetaArray each_third(int64_t n) const { return each(3, n); }
  MetaArray each(int64_t step, int64_t n) const {
    std::vector<uint32_t> out;
    for (int64_t i = 1; i <= n_layers; ++i) out.push_back(i % step == 0 ? static_cast<uint32_t>(n) : 0);
    return {out};
  }

  /// Every tensor that is asked for with a shape, and the embeddings.
  std::optional<TensorDesc> find(std::string_view name, const Shape* want) const {
    if (want) return TensorDesc{want->rank() == 1 ? &format_f32 : format, *want};
    if (name == "token_embd.weight" || (name == "output.weight" && !tied))
      return TensorDesc{format, Shape{n_vocab, d_model}};
    if (name == "per_layer_token_embd.weight") return TensorDesc{format, Shape{n_vocab, 8 * n_layers}};
    for (const char* low_rank : {"laurel_l.weight", "ssm_f_a.weight", "ssm_g_a.weight"})
      if (name.ends_with(low_rank)) return TensorDesc{format, Shape{12, d_model}};
    if (name == "position_embd.weight") return TensorDesc{format, Shape{n_positions, d_model}};
    return std::nullopt;
  }

  Graph graph(StepCapacity capacity) const {
    Graph graph;
    Net net(
        graph, [this](std::string_view name, const Shape* want) { return find(name, want); }, capacity);
    const Meta m = meta();
    net.give(find_family(arch).build(net, MetaView(m, arch)));
    return graph;
  }
};

}  // namespace skald::test
