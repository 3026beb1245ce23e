// Qwen1.5-MoE and Qwen2-57B-A14B: Qwen2 with experts, whose weights stay shares of a softmax over all of them, and a shared
// expert that each token scales. Yang et al., arXiv 2407.10671.
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/hparams.h"
#include "models/parts/moe.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  const DecoderParams p = read_decoder(m);
  MoeParams moe = read_moe(net, m, p);
  moe.routing = Routing::kSoftmax;
  const int64_t d_shared = shared_width(net, m, p);
  const RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kHalves);
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x = net.embed("token_embd", n_vocab, p.d_model);  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    x = x + rope_attention(blk, blk.rms_norm("attn_norm", x, p.eps), p, rope, Bias::kRequired);
    const Tensor h = blk.rms_norm("ffn_norm", x, p.eps);
    x = x + (moe_ffn(blk, h, moe) + scaled_shared_ffn(blk, h, d_shared));
  }
  x = net.rms_norm("output_norm", net.output_rows(x), p.eps);
  return net.unembed("output", x, n_vocab);
}

extern const Family family_qwen2moe;
const Family family_qwen2moe{
    .arch = "qwen2moe", .build = build, .covers = "Qwen1.5-MoE, Qwen2-57B-A14B", .verified = "Qwen2MoeForCausalLM"};

}  // namespace skald
