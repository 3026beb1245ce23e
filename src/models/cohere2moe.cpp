// North Mini Code: Command A with experts beside a shared one, whose outputs' mean counts, after dense layers, which all
// have RoPE. Cohere, 2026.
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/ffn.h"
#include "models/parts/hparams.h"
#include "models/parts/moe.h"

namespace skald {

// The norm is with or without a mean, as the key of its epsilon says.
static Tensor norm(Net& net, const std::string& name, Tensor x, const DecoderParams& p, bool rms) {
  return rms ? net.rms_norm(name, x, p.eps) : net.layer_norm(name, x, p.eps);
}

static Tensor feed_forward(Net& blk, int64_t i, Tensor h, const DecoderParams& p, const ExpertLayers& experts) {
  const Tensor y = expert_layer(blk, i, h, p, experts);
  return i >= experts.n_dense && experts.d_shared ? scale(y, 0.5f) : y;
}

static Tensor build(Net& net, const MetaView& m) {
  const bool rms = m.has(kRmsNormEps);
  const DecoderParams p = read_decoder(m, rms ? kRmsNormEps : kLayerNormEps);
  const ExpertLayers experts = read_routed_layers(net, m, p);
  const RopeSpec rope = local_rope(m, read_rope(net, m, p.d_k, RopePairs::kInterleaved));
  const LayerWindows windows = read_windows(m, p.n_layers, 4, {}, /*full_first=*/true);
  const float logit_scale = read_positive(m, "logit_scale");
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x = net.embed("token_embd", n_vocab, p.d_model);  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    const Tensor h = norm(blk, "attn_norm", x, p, rms);
    Qkv a = separate_qkv(blk, h, p);
    if (windows.in(i) || i < experts.n_dense) a = with_rope(blk, a, p, rope);
    x = x + attend(blk, a, attention_of(p, windows.of(i)), p.d_model) + feed_forward(blk, i, h, p, experts);
  }
  x = norm(net, "output_norm", net.output_rows(x), p, rms);
  return scale(net.unembed("output", x, n_vocab), logit_scale);
}

extern const Family family_cohere2moe;
const Family family_cohere2moe{
    .arch = "cohere2moe", .build = build, .covers = "North Mini Code 30B-A3B", .verified = "Cohere2MoeForCausalLM"};

}  // namespace skald
