// Kimi Linear: delta nets that forget channel by channel in most layers, latent attention without positions in the others;
// experts beside a shared one after dense layers. Kimi Team, arXiv 2510.26692.
#include <algorithm>

#include "graph/ops/elementwise.h"
#include "models/family.h"
#include "models/parts/hparams.h"
#include "models/parts/mla.h"
#include "models/parts/moe.h"

namespace skald {
namespace {

struct KdaParams {
  int64_t heads, d_head, taps;
  float eps;
};

int64_t rows_of(const Net& blk, const std::string& name) { return blk.rows_of(name + ".weight"); }

// Kimi Delta Attention; h (tokens, d_model) -> as h.
Tensor delta_attention(Net& blk, Tensor h, const KdaParams& p) {
  const int64_t d = p.heads * p.d_head;
  const std::vector<Tensor> in = blk.linears({{"attn_q", d},
                                              {"attn_k", d},
                                              {"attn_v", d},
                                              {"ssm_f_a", rows_of(blk, "ssm_f_a")},
                                              {"ssm_g_a", rows_of(blk, "ssm_g_a")},
                                              {"ssm_beta", p.heads}},
                                             h);
  const auto conv = [&](const char* name, Tensor x) { return blk.causal_conv(name, x, p.taps, /*silu=*/true); };
  const Tensor q = conv("ssm_conv1d_q", in[0]), k = conv("ssm_conv1d_k", in[1]), v = conv("ssm_conv1d_v", in[2]);
  const Tensor g = softplus(blk.linear("ssm_f_b", in[3], d) + blk.layer_vector("ssm_dt.bias", d));
  const Tensor y = blk.delta_net(q, k, v, g, sigmoid(in[5]), {.heads = p.heads, .key_heads = p.heads, .eps = p.eps});
  const Tensor gate = blk.linear("ssm_g_b", in[4], d);
  return blk.linear("attn_output", glu(gate, blk.rms_norm("ssm_norm", y, p.eps, p.heads), Activation::kSigmoid), h.cols());
}

// Layers without keys have delta nets.
std::vector<bool> read_latent_layers(const MetaView& m, int64_t n_layers) {
  std::vector<bool> out;
  for (const int64_t n : read_layer_numbers(m, "attention.head_count_kv", n_layers, 0, 65536)) out.push_back(n > 0);
  return out;
}

std::optional<MlaParams> read_attention(Net& net, const MetaView& m, const std::vector<bool>& latent) {
  const auto first = std::ranges::find(latent, true);
  if (first == latent.end()) return {};
  MlaParams p = read_mla(net, m, first - latent.begin());
  p.rope.reset();
  return p;
}

Tensor build(Net& net, const MetaView& m) {
  const DecoderParams p = read_decoder_layers(m).front();
  const std::vector<bool> latent = read_latent_layers(m, p.n_layers);
  const std::optional<MlaParams> attention = read_attention(net, m, latent);
  const KdaParams kda{.heads = p.n_heads,
                      .d_head = m.in_range("kda.head_dim", 1, 65536),
                      .taps = m.in_range("ssm.conv_kernel", 2, 16),
                      .eps = p.eps};
  ExpertLayers experts = read_routed_layers(net, m, p);
  experts.moe.normalise = m.flag("expert_weights_norm", true);
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x = net.embed("token_embd", n_vocab, p.d_model);  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    const Tensor h = blk.rms_norm("attn_norm", x, p.eps);
    x = x + (latent[static_cast<size_t>(i)] ? mla(blk, h, *attention) : delta_attention(blk, h, kda));
    x = x + expert_layer(blk, i, blk.rms_norm("ffn_norm", x, p.eps), p, experts);
  }
  x = net.rms_norm("output_norm", net.output_rows(x), p.eps);
  return net.unembed("output", x, n_vocab);
}

}  // namespace

extern const Family family_kimi_linear;
const Family family_kimi_linear{
    .arch = "kimi-linear", .build = build, .covers = "Kimi Linear 48B-A3B", .verified = "KimiLinearForCausalLM"};

}  // namespace skald
