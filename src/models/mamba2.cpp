// Mamba 2: nothing but its blocks. Dao & Gu, arXiv 2405.21060.
#include "models/parts/mamba2.h"
#include "models/family.h"
#include "models/parts/hparams.h"

namespace skald {

static Tensor build(Net& net, const MetaView& m) {
  const DecoderParams p = read_decoder_layers(m).front();
  const Mamba2Params mamba = read_mamba2(m, p.eps);
  const int64_t n_vocab = net.rows_of("token_embd.weight");

  Tensor x = net.embed("token_embd", n_vocab, p.d_model);  // (tokens, d_model)
  for (int64_t i = 0; i < p.n_layers; ++i) {
    Net blk = net.layer_at(i);  // names become blk.<i>.*
    x = x + mamba2(blk, blk.rms_norm("attn_norm", x, p.eps), mamba);
  }
  x = net.rms_norm("output_norm", net.output_rows(x), p.eps);
  return net.unembed("output", x, n_vocab);
}

extern const Family family_mamba2;
const Family family_mamba2{
    .arch = "mamba2", .build = build, .covers = "Mamba 2, Codestral Mamba", .verified = "Mamba2ForCausalLM"};

}  // namespace skald
