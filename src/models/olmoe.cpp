// OLMoE: an RMS norm over all query heads together and one over all key heads; experts in every layer. Muennighoff et al.,
// arXiv 2409.02060.
#include "models/family.h"
#include "models/parts/attention.h"
#include "models/parts/hparams.h"
#include "models/parts/moe.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  const DecoderParams p = read_decoder(m);
  MoeParams moe = read_moe(net, m, p);
  moe.routing = Routing::kSoftmax;
  const RopeSpec rope = read_rope(net, m, p.d_k, RopePairs::kHalves);
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x = net.embed("token_embd", n_vocab, p.d_model);  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    Qkv a = with_rms_norms(blk, separate_qkv(blk, blk.rms_norm("attn_norm", x, p.eps), p), p);
    x = x + attend(blk, with_rope(blk, a, p, rope), attention_of(p), p.d_model);
    x = x + moe_ffn(blk, blk.rms_norm("ffn_norm", x, p.eps), moe);
  }
  x = net.rms_norm("output_norm", net.output_rows(x), p.eps);
  return net.unembed("output", x, n_vocab);
}

extern const Family family_olmoe;
const Family family_olmoe{.arch = "olmoe", .build = build, .covers = "OLMoE 1B-7B", .verified = "OlmoeForCausalLM"};

}  // namespace skald
